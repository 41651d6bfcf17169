import { Injectable, type PipeTransform } from '@nestjs/common';

/** No body is an empty one: it is refused for its handle, which it lacks. */
@Injectable()
export class BodyPipe implements PipeTransform {
  transform(body: unknown): unknown {
    return body ?? {};
  }
}
