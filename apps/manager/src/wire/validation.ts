import { ValidationPipe } from '@nestjs/common';
import { DomainError } from '@gadwall/rbac';
import type { ValidationError } from 'class-validator';

/** Refuses bodies and queries with unknown, missing or mistyped fields, naming the first one and never its value. */
export function requestValidation(): ValidationPipe {
  return new ValidationPipe({
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    transform: true,
    stopAtFirstError: true,
    validationError: { target: true, value: false },
    exceptionFactory: (errors) => refusalOf(errors),
  });
}

/** The rename of an account's field that clients still trip over (seed 000, "Upgrading to the built-in RBAC release"). */
const isOldRoleKey = ({ property, constraints, target }: ValidationError): boolean =>
  property === 'role' &&
  constraints?.['whitelistValidation'] !== undefined &&
  target?.constructor.name.endsWith('UserDto') === true;

function refusalOf(errors: ValidationError[]): DomainError {
  if (errors.some(isOldRoleKey)) return new DomainError('role_key');
  const [constraint] = errors.flatMap((error) => Object.values(error.constraints ?? {}));
  return new DomainError('invalid_request', { detail: constraint ?? 'the request is not well formed' });
}
