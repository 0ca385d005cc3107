/** One logger for each process: JSON lines on standard error or output, secrets blanked. */
import { type Logger, pino } from 'pino';

export type { Logger };

/** Paths that may carry a credential. What is not logged at all cannot leak; this is the net beneath. */
const SECRET_PATHS = [
  'req.headers.authorization',
  'req.headers.cookie',
  'headers.authorization',
  'authorization',
  'secret',
  'api_key',
  '*.secret',
  '*.api_key',
  '*.token',
];

export function createLogger(level: string, name: string): Logger {
  return pino({
    level,
    name,
    redact: { paths: SECRET_PATHS, censor: '[redacted]' },
    serializers: { err: errorFields },
  });
}

/**
 * What of an error is worth a line. Not its other members: the driver hangs the whole connection on its errors, with the
 * key that cancels its statements, and Postgres quotes the row.
 */
function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = (error as { code?: unknown }).code;
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' ? { code } : {}),
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: errorFields(error.cause) }),
  };
}
