/**
 * Checks once a minute whether the role still has its timeouts. They are checked at start, but can be reset afterwards.
 * The check reads them on a connection of the pool, and on a new connection, which shows what the next connections get.
 * Without the timeouts, a stopped process keeps a book locked. A missing timeout is an alert; the process goes on.
 */
import type { Logger } from '../log.ts';
import { warnSeldom } from '../seldom.ts';
import { createPool, type Pool } from './pool.ts';
import { readUnfitTimeouts } from './roles.ts';

const READ_EVERY_MS = 60_000;
/** A deviation that lasts is logged again this often. */
const TELL_EVERY_MS = 3_600_000;

export interface RoleTimeouts {
  /** Reads the timeouts now. */
  read(): Promise<void>;
  close(): void;
}

export interface RoleTimeoutsOptions {
  readonly pool: Pool;
  /** The pool's URL. */
  readonly url: string;
  readonly log: Logger;
  /** Called with the number of timeouts that the role lacks. */
  readonly count: (unfit: number) => void;
}

export function watchRoleTimeouts({ pool, url, log, count }: RoleTimeoutsOptions): RoleTimeouts {
  const warn = warnSeldom(log, 'the timeouts of the database role were not read');
  let told = { unfit: '', at: 0 };

  async function read(): Promise<void> {
    const unfit = [...new Set([...(await readUnfitTimeouts(pool)), ...(await readOnNewConnection())])].sort();
    count(unfit.length);
    tell(unfit);
  }

  async function readOnNewConnection(): Promise<string[]> {
    const single = createPool({ url, name: 'countinghouse-role', size: 1, log, namedStatements: false });
    try {
      return await readUnfitTimeouts(single);
    } finally {
      await single.end();
    }
  }

  function tell(unfit: readonly string[]): void {
    const names = unfit.join(', ');
    const now = performance.now();
    if (names === told.unfit && (names === '' || now - told.at < TELL_EVERY_MS)) return;
    told = { unfit: names, at: now };
    if (names === '') log.info('the database role has its timeouts again');
    else
      log.error(
        { unfit },
        'the role of DATABASE_URL lacks timeouts: a stopped process can keep a book locked; run npm run migrate',
      );
  }

  const timer = setInterval(() => void read().catch(warn), READ_EVERY_MS);
  timer.unref();
  return { read, close: () => clearInterval(timer) };
}
