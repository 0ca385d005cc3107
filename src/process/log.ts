/** One logger for each process: JSON lines on standard output, with secrets redacted. */
import { type Logger, pino } from 'pino';
import { maskCardNumbers } from '../values/card-number.ts';
import { redactKeys } from './redact-keys.ts';

export type { Logger };

/** Paths that may carry a credential. Credentials are not logged in the first place; this is the second guard. */
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
 * Each request has a line, but not a system call of its own: a kill -9 loses at most a fifth of a second of the log.
 * The library writes at most 16,384 bytes at a time, and the buffer must be smaller.
 */
const BUFFERED_BYTES = 16_000;
const FLUSH_MS = 200;

/**
 * The members of an error that are logged, and no others: the driver attaches the whole connection to its errors, with
 * the key that cancels its statements, and Postgres quotes the row.
 */
function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = (error as { code?: unknown }).code;
  return {
    type: error.name,
    message: redacted(error.message),
    ...(typeof code === 'string' ? { code } : {}),
    stack: error.stack === undefined ? undefined : redacted(error.stack),
    ...(error.cause === undefined ? {} : { cause: errorFields(error.cause) }),
  };
}

/** An error may quote the text that caused it. */
function redacted(text: string): string {
  return redactKeys(maskCardNumbers(text));
}
