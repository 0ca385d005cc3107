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
  return pino({ level, name, redact: { paths: SECRET_PATHS, censor: '[redacted]' } });
}
