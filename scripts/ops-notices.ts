/** `npm run ops -- notices list|settle`: notices of rails about books that are not ours. */
import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { COUNT_LIMIT } from '../src/db/count-limit.ts';
import type { Pool } from '../src/db/pool.ts';
import { listForeignNotices, resolveForeignNotice } from '../src/outside/notices/foreign-notice-store.ts';
import { encodeActor } from '../src/values/actor.ts';
import { formatInstant, systemClock } from '../src/values/clock.ts';

type WithDatabase = (work: (pool: Pool) => Promise<void>) => Promise<void>;
type TableOf = (rows: readonly Record<string, unknown>[]) => string;

/** Rows that a person reads in one go; a script gets all rows up to the counting limit. */
const SHOWN = 100;

export function addNotices(
  program: Command,
  { withDatabase, tableOf }: { withDatabase: WithDatabase; tableOf: TableOf },
): void {
  const notices = program.command('notices').description('notices of rails about books that are not ours');

  notices
    .command('list')
    .description('show those that nobody has settled, the oldest first')
    .option('--json', 'print one JSON object a line')
    .action(({ json }: { json?: boolean }) =>
      withDatabase(async (pool) => {
        const rows = (await listForeignNotices(pool, json ? COUNT_LIMIT : SHOWN)).map(
          ({ rail, id, originator, createdAt }) => ({ rail, id, originator, created_at: formatInstant(createdAt) }),
        );
        if (json) for (const row of rows) console.log(JSON.stringify(row));
        else console.log(rows.length > 0 ? tableOf(rows) : 'No notice waits to be settled.');
      }),
    );

  notices
    .command('settle')
    .description('say what became of one; it is kept, and counted no more')
    .argument('<rail>', 'the rail, as `notices list` shows it')
    .argument('<id>', "the rail's id of the notice")
    .requiredOption('--reason <text>', 'without personal text, up to 500 characters')
    .option('--by <name>', 'who settles; the user of this system without it')
    .action((rail: string, id: string, { reason, by }: { reason: string; by?: string }) =>
      withDatabase(async (pool) => {
        if (reason.length === 0 || reason.length > 500) throw new Error('--reason has 1 to 500 characters.');
        const actor = encodeActor({ type: 'operator', name: (by ?? userInfo().username).slice(0, 100) });
        const resolved = await resolveForeignNotice(pool, { rail, id }, { actor, reason, at: systemClock.now() });
        if (!resolved) throw new Error(`There is no notice ${id} of ${rail} to settle.`);
        console.log('Settled.');
      }),
    );
}
