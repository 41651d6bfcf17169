import type { Params } from 'nestjs-pino';
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

/** Logs: JSON, or pretty for a terminal; one line a request, without bodies and without query strings. */
export function loggingOf({ log }: ManagerConfig): Params {
  return {
    pinoHttp: {
      level: log.level,
      transport: log.pretty ? { target: 'pino-pretty', options: { singleLine: true } } : undefined,
      redact: { paths: SECRETS, censor: '[redacted]' },
      autoLogging: { ignore: (request) => request.url === '/health' || request.url === '/ready' },
      serializers: {
        req: ({ id, method, url }: { id: string; method: string; url: string }) => ({
          id,
          method,
          path: url.split('?', 1)[0],
        }),
        res: ({ statusCode }: { statusCode: number }) => ({ statusCode }),
      },
    },
  };
}
