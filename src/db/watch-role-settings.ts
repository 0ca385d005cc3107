/**
 * Checks once a minute whether the role still has its settings (role-settings.ts), and the server those by which it keeps what is
 * committed (durability.ts). They are checked at start, but can be changed afterwards. The check reads them on a connection of the pool,
 * and those of the role on a new connection too, which shows what the next connections get. A setting that does not fit is an alert; the
 * process goes on.
 */
import type { Logger } from '../process/log.ts';
import { warnSeldom } from '../process/seldom.ts';
import { checkDurability, type DurabilityOptions, readUndurable } from './durability.ts';
import { createPool, type Pool } from './pool.ts';
import { readUnfitSettings } from './role-settings.ts';
import { checkApplicationRole } from './roles.ts';

const READ_EVERY_MS = 60_000;
/** A deviation that lasts is logged again this often. */
const LOG_EVERY_MS = 3_600_000;

export interface RoleSettingsWatch {
  /** Judges the role and what the server keeps, before the process works. Throws DatabaseRoleError. */
  check(): Promise<void>;
  /** Reads the settings now. */
  read(): Promise<void>;
  close(): void;
}

export interface RoleSettingsOptions {
  readonly pool: Pool;
  /** The pool's URL. */
  readonly url: string;
  readonly log: Logger;
  readonly durability: Pick<DurabilityOptions, 'assumed' | 'isLive'>;
  /** Called with the number of settings that do not fit. */
  readonly count: (unfit: number) => void;
}

const readUnfitNames = async (db: Pool) => (await readUnfitSettings(db)).map(({ name }) => name);

export function watchRoleSettings({ pool, url, log, durability, count }: RoleSettingsOptions): RoleSettingsWatch {
  const warn = warnSeldom(log, 'the settings of the database role were not read');
  let logged = { unfit: '', at: 0 };

  async function read(): Promise<void> {
    const ofRole = [...(await readUnfitNames(pool)), ...(await readOnNewConnection())];
    const unfit = [...new Set([...ofRole, ...(await readUndurable(pool, durability))])].sort();
    count(unfit.length);
    logUnfit(unfit);
  }

  async function readOnNewConnection(): Promise<string[]> {
    const single = createPool({ url, name: 'countinghouse-role', size: 1, log, namedStatements: false });
    try {
      return await readUnfitNames(single);
    } finally {
      await single.end();
    }
  }

  function logUnfit(unfit: readonly string[]): void {
    const names = unfit.join(', ');
    const now = performance.now();
    if (names === logged.unfit && (names === '' || now - logged.at < LOG_EVERY_MS)) return;
    logged = { unfit: names, at: now };
    if (names === '') log.info('the database has the settings again that the product runs with');
    else
      log.error(
        { unfit },
        'the database of DATABASE_URL lacks settings that the product runs with; see docs/operations.md: npm run migrate sets those of the role',
      );
  }

  const timer = setInterval(() => void read().catch(warn), READ_EVERY_MS);
  timer.unref();
  return {
    async check() {
      await checkApplicationRole(pool);
      await checkDurability(pool, { ...durability, log });
    },
    read,
    close: () => clearInterval(timer),
  };
}
