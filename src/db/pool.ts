/**
 * Connections to Postgres. bigint columns arrive as bigint, timestamps as whole milliseconds: no amount is a float, and
 * no Date enters the domain.
 */
import pg from 'pg';
import type { Logger } from '../process/log.ts';
import { connectionName } from '../process/version.ts';
import type { Instant } from '../values/clock.ts';
import { WRITABLE, WritableClient } from './writable-client.ts';

export type Pool = pg.Pool;
/** A connection inside a database transaction. */
export type Transaction = pg.PoolClient;
/** Anything that runs a statement: a pool, or a connection inside a transaction. */
export type Queryable = Pick<pg.Pool, 'query'> | Pick<pg.PoolClient, 'query'>;

const INT8 = 20;
const NUMERIC = 1700;
const TIMESTAMPTZ = 1184;
const parseAnyTimestamp = pg.types.getTypeParser(TIMESTAMPTZ) as (text: string) => Date | number;

const PARSERS = new Map<number, (text: string) => unknown>([
  [INT8, BigInt],
  [NUMERIC, BigInt],
  [TIMESTAMPTZ, parseInstant],
]);

/** Every other form that Postgres writes under DateStyle ISO: another offset, a year beyond 9999, before Christ. */
const ISO_TIMESTAMP = /^(?:-?infinity|\d{4,}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?[+-]\d\d(?::\d\d){0,2}(?: BC)?)$/;

/**
 * Parses `2026-11-21 09:33:08.593+00`, the form in which Postgres writes a timestamptz of milliseconds in UTC. Every
 * row has several. The driver's parser, which takes ten times as long, handles the other forms of ISO. It does not
 * recognize a text of another DateStyle, which JavaScript would read as 1970: such a text fails its statement.
 */
function parseInstant(text: string): Instant {
  const length = text.length;
  // A year before 1000 is not common either: Date.UTC takes 50 for 1950.
  const common = text[0] !== '0' && text[4] === '-' && text.endsWith('+00') && length >= 22 && length <= 26;
  // `infinity` arrives as a number, and a year beyond the calendar as NaN. The product writes neither, but verify must
  // read them.
  if (!common) {
    if (!ISO_TIMESTAMP.test(text))
      throw new Error(`The database writes times as ${text}, which is not ISO: see DateStyle of its role.`);
    return Number(parseAnyTimestamp(text));
  }
  const number = (from: number, to: number) => {
    let value = 0;
    for (let at = from; at < to; at++) value = value * 10 + text.charCodeAt(at) - 48;
    return value;
  };
  const fraction = length === 22 ? 0 : number(20, length - 3) * (length === 26 ? 1 : length === 25 ? 10 : 100);
  return Date.UTC(
    number(0, 4),
    number(5, 7) - 1,
    number(8, 10),
    number(11, 13),
    number(14, 16),
    number(17, 19),
    fraction,
  );
}

/** Parsers for the product's pools alone: the queue library shares the driver and must keep its defaults. */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    const parser = format === 'binary' ? undefined : PARSERS.get(oid);
    return (parser ?? pg.types.getTypeParser(oid, format as 'text')) as never;
  },
};

export interface PoolOptions {
  url: string;
  /** Shown in pg_stat_activity with the version, so that an operator can distinguish the connections. */
  name: string;
  size: number;
  log: Logger;
  /** Stops waiting for an answer that does not come, also when the peer disappears. Longer than every limit in the server. */
  queryTimeoutMs?: number;
  /** Prepares statements by name, so that each is planned once. Must be false behind a pooler in transaction mode. */
  namedStatements?: boolean;
  /** For a script that only reads, and may be pointed at a standby. */
  standbyToo?: boolean;
}

/**
 * A connection that sends the statements of one turn of the event loop in one write. A batch sends a dozen at a time,
 * and on a busy machine a write costs as much as the work of its statement (npm run bench -- payouts).
 */
class GatheringClient extends WritableClient {
  #gathering = false;

  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
  override query(...given: any[]): any {
    if (!this.#gathering) {
      this.#gathering = true;
      const { stream } = this.connection;
      stream.cork();
      process.nextTick(() => {
        this.#gathering = false;
        stream.uncork();
      });
    }
    return (super.query as (...given: unknown[]) => unknown)(...given);
  }
}

/** The same without names of statements: every statement is parsed and planned anew. */
class UnnamedClient extends GatheringClient {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
  override query(config: any, ...rest: any[]): any {
    const given =
      typeof config === 'object' && config !== null && 'name' in config ? { ...config, name: undefined } : config;
    return super.query(given, ...rest);
  }
}

export function createPool({
  url,
  name,
  size,
  log,
  queryTimeoutMs = 30_000,
  namedStatements = true,
  standbyToo = false,
}: PoolOptions): Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: connectionName(name),
    max: size,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
    types,
    // Statements of one connection are sent without waiting for the answers before them: a batch needs two round trips.
    pipeline: true,
    ...(!standbyToo && { verify: WRITABLE.verify }),
    Client: namedStatements ? GatheringClient : UnnamedClient,
  });
  // Without a listener, the restart of a database ends the process.
  pool.on('error', (error) => {
    // Postgres may stop while the pool still closes its last connections.
    if (!pool.ending) log.warn({ err: error }, 'idle database connection lost');
  });
  // The pool listens to idle connections only. A connection that is lost in use fails the statement it was running.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
