/** How a database error affects the work that met it. Classes: PostgreSQL manual, appendix A. */
import { ApiError } from '../errors/errors.ts';

export type FailureKind =
  /** The database or the network to it is failing; the same work may succeed later. */
  | 'transient'
  /** The work itself is refused (data, constraint, statement), and would be refused again. */
  | 'refused'
  /** Not from the database. */
  | 'other';

/** 08 connection, 40 rollback, 53 resources, 57 operator, 58 system. */
const TRANSIENT_CLASSES = new Set(['08', '40', '53', '57', '58']);
/** Read-only (a standby, for now), idle-in-transaction timeout, lock not available, transaction already failed. */
const TRANSIENT_STATES = new Set(['25006', '25P03', '55P03', '25P02']);
/** 22 data, 23 constraint, 42 statement or privilege. */
const REFUSED_CLASSES = new Set(['22', '23', '42']);
const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** The driver's own errors carry no code, only a message. */
const DRIVER_MESSAGES =
  /Connection terminated|connection timeout|Query read timeout|not queryable|timeout exceeded when trying to connect|Client was closed|server closed the connection|Cannot use a pool after/i;

export function classifyFailure(error: unknown): FailureKind {
  if (error instanceof CommitUnconfirmed) return 'transient';
  if (!(error instanceof Error)) return 'other';
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string') {
    if (NETWORK_CODES.has(code)) return 'transient';
    if (code.length === 5) {
      if (TRANSIENT_STATES.has(code) || TRANSIENT_CLASSES.has(code.slice(0, 2))) return 'transient';
      if (code === '55000' && isAtStartOfSession(error)) return 'transient';
      if (REFUSED_CLASSES.has(code.slice(0, 2))) return 'refused';
    }
  }
  if (error instanceof AggregateError && error.errors.some((inner) => classifyFailure(inner) === 'transient'))
    return 'transient';
  return DRIVER_MESSAGES.test(error.message) ? 'transient' : 'other';
}

/**
 * Whether Postgres raised it while it opened the session: 55000 is then a database that takes no connections (ALTER DATABASE …
 * ALLOW_CONNECTIONS false), and else a statement that finds an object in another state. The routine is not translated, unlike
 * message and severity.
 */
function isAtStartOfSession(error: Error): boolean {
  return (error as { routine?: unknown }).routine === 'CheckMyDatabase';
}

/** Why a statement was blocked, so that Postgres ended it. */
export type Obstacle = 'deadlock' | 'lock' | 'statement' | 'idle';

/** Deadlock, lock not available, statement canceled at its limit, session ended while idle in its transaction. */
const OBSTACLES: ReadonlyMap<unknown, Obstacle> = new Map([
  ['40P01', 'deadlock'],
  ['55P03', 'lock'],
  ['57014', 'statement'],
  ['25P03', 'idle'],
]);

/** Mostly another transaction has locked a row. Work of several books is then done book by book, so that only one waits. */
export function obstacleOf(error: unknown): Obstacle | undefined {
  return OBSTACLES.get((error as { code?: unknown } | null)?.code);
}

/** Whether the work itself, or something it needs, reached a time limit: less of it may succeed. */
export function tookTooLong(error: unknown): boolean {
  const obstacle = obstacleOf(error);
  return obstacle === 'statement' || obstacle === 'idle' || isReadTimeout(error);
}

/** Whether the connection was abandoned, since no answer came in time (TransactionOptions in transaction.ts). */
export function isReadTimeout(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Query read timeout');
}

/** Whether work that failed may succeed later: the database is away, or a deadline has passed. A bug does not pass. */
export function isPassing(error: unknown): boolean {
  return classifyFailure(error) === 'transient' || (error instanceof ApiError && error.code === 'service_unavailable');
}

/** COMMIT was answered with another tag: after a failed statement Postgres answers ROLLBACK and raises no error. */
export class CommitUnconfirmed extends Error {
  constructor(readonly tag: string) {
    super(`COMMIT was answered with ${tag}`);
    this.name = 'CommitUnconfirmed';
  }
}

/** A write touched another number of rows than it named: a bug, or another program's change. Nothing is committed. */
export class RowCountMismatch extends Error {
  constructor(facts: { statement: string; expected: number }) {
    super(`${facts.statement}: did not write the ${facts.expected} rows it was given`);
    this.name = 'RowCountMismatch';
  }
}
