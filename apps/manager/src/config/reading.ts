import { isAbsolute } from 'node:path';

/** A variable whose value cannot be used: the manager does not start. */
export class ConfigError extends Error {
  constructor(
    readonly variable: string,
    expected: string,
  ) {
    // The value stays out: it may be a secret.
    super(`${variable} must be ${expected}`);
    this.name = 'ConfigError';
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function text(env: Environment, name: string): string | null {
  const value = env[name]?.trim();
  return value === undefined || value === '' ? null : value;
}

export function integer(env: Environment, name: string, fallback: number, range: { min: number; max: number }): number {
  const value = text(env, name);
  if (value === null) return fallback;
  const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
  if (!(number >= range.min && number <= range.max)) {
    throw new ConfigError(name, `a whole number from ${range.min} to ${range.max}`);
  }
  return number;
}

export function size(env: Environment, name: string, fallback: string): string {
  const value = text(env, name) ?? fallback;
  if (!/^[1-9]\d*(\.\d+)?\s*(KB|MB|GB|TB|KiB|MiB|GiB|TiB)$/.test(value)) {
    throw new ConfigError(name, 'a size such as 2GB');
  }
  return value;
}

export function oneOf(env: Environment, name: string, fallback: string, values: readonly string[]): string {
  const value = text(env, name) ?? fallback;
  if (!values.includes(value)) throw new ConfigError(name, `one of ${values.join(', ')}`);
  return value;
}

/** An absolute path; null when it is not set. */
export function absolutePath(env: Environment, name: string): string | null {
  const value = text(env, name);
  if (value !== null && !isAbsolute(value)) throw new ConfigError(name, 'an absolute path');
  return value;
}
