import type { Params } from 'nestjs-pino';
import type { Logger } from 'pino';
import type { Options } from 'pino-http';
import type { ManagerConfig } from './config';

/** Fields that never reach a log, wherever they stand (DESIGN section 3, point 12). */
const SECRETS = [
  'req.headers["x-api-key"]',
  'req.headers.authorization',
  'req.headers.cookie',
  'res.headers["set-cookie"]',
  'password',
  '*.password',
  '*.currentPassword',
  '*.newPassword',
  '*.token',
];

/** What Nest says of itself at each start, a line for every module and route. */
const NEST_START_UP = ['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication'];
const INFO = 30;

/** Shows Nest's own start-up to those only who ask for debug. */
function quietStartUp(this: Logger, args: Parameters<Logger['info']>, method: Logger['info'], level: number): void {
  const [{ context }] = args as unknown as [{ context?: unknown }];
  const quiet = level === INFO && NEST_START_UP.includes(String(context));
  if (quiet) this.debug(...args);
  else method.apply(this, args);
}

interface LoggedRequest {
  id: string;
  method: string;
  url: string;
  originalUrl?: string;
}

/** What a log line keeps of an error: a database error's other fields quote values of the statement. */
function errorInLog(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: 'something that is no Error was thrown' };
  const { name, message, stack } = error;
  return { name, message, stack, code: (error as { code?: unknown }).code };
}

/** Logs: JSON, or pretty for a terminal; one line a request, without bodies, headers and query strings. */
export function loggingOf({ log }: ManagerConfig): Params {
  const options: Options = {
    level: log.level,
    transport: log.pretty ? { target: 'pino-pretty', options: { singleLine: true } } : undefined,
    hooks: { logMethod: quietStartUp },
    redact: { paths: SECRETS, censor: '[redacted]' },
    autoLogging: { ignore: (request) => request.url === '/health' || request.url === '/ready' },
    serializers: {
      err: errorInLog,
      // `url` is what a mounted middleware sees of it.
      req: ({ id, method, url, originalUrl }: LoggedRequest) => ({
        id,
        method,
        path: (originalUrl ?? url).split('?', 1)[0],
      }),
      res: ({ statusCode }: { statusCode: number }) => ({ statusCode }),
    },
    wrapSerializers: false,
  };
  return { pinoHttp: log.destination === undefined ? options : [options, log.destination] };
}
