/** One logger for each process: JSON lines on standard output, secrets blanked. */
import { type Logger, pino } from 'pino';
import { redactKeys } from './redact-keys.ts';

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
  const options = {
    level,
    name,
    redact: { paths: SECRET_PATHS, censor: '[redacted]' },
    serializers: { err: errorFields },
  };
  return pino(options, pino.destination({ dest: 1, sync: false, minLength: BUFFERED_BYTES, periodicFlush: FLUSH_MS }));
}

/**
 * A line for each request, but not a system call for each line. What a kill -9 can lose of the log is a fifth of a second.
 * A write of the library is 16,384 bytes at most, and what is gathered must be less.
 */
const BUFFERED_BYTES = 16_000;
const FLUSH_MS = 200;

/**
 * What of an error is worth a line. Not its other members: the driver hangs the whole connection on its errors, with the
 * key that cancels its statements, and Postgres quotes the row.
 */
function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = (error as { code?: unknown }).code;
  return {
    type: error.name,
    message: redactKeys(error.message),
    ...(typeof code === 'string' ? { code } : {}),
    stack: error.stack === undefined ? undefined : redactKeys(error.stack),
    ...(error.cause === undefined ? {} : { cause: errorFields(error.cause) }),
  };
}
