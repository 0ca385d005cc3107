/**
 * Contracts the stored forms: the end of the time in which two versions use one database. From then on this version may
 * write stored forms that earlier versions cannot read. Refused while an earlier version is connected. There is no way
 * back.
 *
 * Three steps. The installation's row closes the database to processes of earlier versions that are about to start. The
 * connections are watched for as long as a process of an earlier version may be silent. The row records that the
 * contract is done, which processes read within seconds. If the process is killed in between, nothing is contracted,
 * and the next `npm run migrate` opens the database again.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from '../process/log.ts';
import { isEarlierVersion, VERSION, versionOfConnection } from '../process/version.ts';
import {
  abandonContract,
  beginContract,
  type Connection,
  finishContract,
  listConnections,
  readContractedTo,
} from './installation-store.ts';
import type { Queryable } from './pool.ts';

/**
 * A process reads the time of Postgres every ten seconds. Its direct connections are visible all the time. A
 * pooler's connection shows the process's name only while the process uses it, and for a while after.
 */
const WATCH_MS = 12_000;
const LOOK_EVERY_MS = 200;

export interface ContractResult {
  /** The version whose stored forms may be written now. */
  contractedTo: string;
  /** Whether this run contracted the forms. */
  changed: boolean;
}

/** An earlier version is connected. The message explains what to do. */
export class ContractRefused extends Error {
  override name = 'ContractRefused';
}

/** Processes of an earlier version may still run. The message explains what to do. */
class NotContracted extends Error {
  override name = 'NotContracted';
}

/** For commands and settings that a version has first. Throws NotContracted until the installation is contracted to it. */
export async function requireContractedTo(db: Queryable, since: string, what: string): Promise<void> {
  const contractedTo = await readContractedTo(db);
  if (!isEarlierVersion(contractedTo, since)) return;
  throw new NotContracted(
    `${what} since release ${since}, and the installation is contracted to ${contractedTo}: a process of an earlier release would not know what this writes. Once none runs any more: npm run migrate -- --contract`,
  );
}

/**
 * Contracts the stored forms. Run by the owner's role, on a connection that has the migration lock. Throws
 * ContractRefused when an earlier version is connected, and then changes nothing.
 */
export async function contract(
  client: pg.Client,
  { role, log, watchMs = WATCH_MS }: { role: string; log: Logger; watchMs?: number },
): Promise<ContractResult> {
  const before = await readContractedTo(client);
  if (!isEarlierVersion(before, VERSION)) return { contractedTo: before, changed: false };
  try {
    await beginContract(client, VERSION);
    await refuseEarlierVersions(client, { role, watchMs });
    await finishContract(client);
  } catch (error) {
    await abandonContract(client);
    throw error;
  }
  log.info({ release: VERSION }, 'stored forms contracted');
  return { contractedTo: VERSION, changed: true };
}

async function refuseEarlierVersions(
  client: pg.Client,
  { role, watchMs }: { role: string; watchMs: number },
): Promise<void> {
  const until = performance.now() + watchMs;
  for (;;) {
    const earlier = (await listConnections(client, role)).filter(isEarlier);
    if (earlier.length > 0) throw new ContractRefused(refusalText(earlier, role));
    if (performance.now() >= until) return;
    await sleep(LOOK_EVERY_MS);
  }
}

/**
 * BullMQ names the connection that listens for a queue's jobs after the queue, whatever the version. A process with
 * such a connection has others too, which name its version.
 */
const LISTENER = /^\{[a-z]+-\d+\}/;

function isEarlier({ name }: Connection): boolean {
  if (LISTENER.test(name)) return false;
  const version = versionOfConnection(name);
  return version === undefined || isEarlierVersion(version, VERSION);
}

const SHOWN = 20;

function refusalText(earlier: readonly Connection[], role: string): string {
  const lines = earlier.slice(0, SHOWN).map((one) => `  pid ${one.pid}, role ${one.role}: ${one.name || '(no name)'}`);
  if (earlier.length > SHOWN) lines.push(`  and ${earlier.length - SHOWN} more`);
  return `Not contracted: connections that do not name release ${VERSION} or a later one could not read its stored forms.
${lines.join('\n')}
Stop those processes, then run this again. To see them:
  SELECT pid, usename, application_name, client_addr FROM pg_stat_activity WHERE usename = '${role}';
Behind PgBouncer a connection keeps the name of whoever used it last: RECONNECT in its console renews them.`;
}
