/**
 * `npm run ops -- stuck list|retry`, `exceptions list|show`, `notices list|settle`, `rails list|adopt|assign`, `payouts resolve`, `queues`,
 * `file`, `rekey`, `erase`, `books`, `write-offs`, `pause`, `resume`, `pauses`, `approval-policy`: rows and queues that an operator inspects and repairs. Works on the database of
 * DATABASE_URL (and the queues of REDIS_URL), or on what `npm start` runs.
 */
import Table from 'cli-table3';
import { Command } from 'commander';
import { COUNT_LIMIT } from '../src/db/count-limit.ts';
import { createPool, type Pool } from '../src/db/pool.ts';
import { environmentOrEmbedded, mayNameStatements } from '../src/embedded/environment.ts';
import { GROUPS } from '../src/groups.ts';
import { readBacklog } from '../src/operations/backlog-store.ts';
import { listStuck, retryStuck, type StuckRow } from '../src/operations/stuck-store.ts';
import { shownStuckId, stuckView } from '../src/operations/stuck-view.ts';
import { WaitingTimes } from '../src/operations/waiting.ts';
import { countForeignNotices } from '../src/outside/notices/foreign-notice-store.ts';
import { countUnknown } from '../src/payouts/payout/unresolved-store.ts';
import { createLogger } from '../src/process/log.ts';
import { createQueues, type Queues } from '../src/queue/queues.ts';
import { type Instant, systemClock } from '../src/values/clock.ts';
import { addErase } from './erase-command.ts';
import { addBookCommands } from './ops-books.ts';
import { addExceptions } from './ops-exceptions.ts';
import { addFiles } from './ops-files.ts';
import { addNotices } from './ops-notices.ts';
import { addPauses } from './ops-pauses.ts';
import { addPolicy } from './ops-policy.ts';
import { addRails } from './ops-rails.ts';
import { type ResolveOptions, readEvidence, resolveByPerson } from './ops-resolve.ts';
import { addWriteOffs } from './ops-write-offs.ts';
import { addRekey } from './rekey-command.ts';
import { runDirectly } from './run-directly.ts';

/** Rows that a person reads in one go; a script gets all rows up to the counting limit. */
const SHOWN = 100;
const QUEUES_LIMIT_MS = 5_000;

const MOVED = GROUPS.flatMap(({ moved }) => moved);

const log = createLogger('silent', 'ops');
export const program = new Command().name('npm run ops --').description('Rows and queues that need a person.');

const stuck = program.command('stuck').description('rows that a bug stopped');

stuck
  .command('list')
  .description('show them, the longest stuck first')
  .option('--json', 'print one JSON object a line')
  .action(({ json }: { json?: boolean }) =>
    withDatabase(async (pool) => {
      const rows = await listStuck(pool, MOVED, json ? COUNT_LIMIT : SHOWN);
      if (json) for (const row of rows) console.log(JSON.stringify(stuckView(MOVED, row)));
      else console.log(rows.length > 0 ? tableOfStuck(rows) : 'Nothing is stuck.');
    }),
  );

stuck
  .command('retry')
  .description('let them try again; the sweeper enqueues them in its next round')
  .argument('[ids...]', 'as `stuck list` shows them; all of them without any')
  .option('--json', 'print one JSON object')
  .action((ids: string[], { json }: { json?: boolean }) =>
    withDatabase(async (pool) => {
      const rows = await listStuck(pool, MOVED, COUNT_LIMIT);
      const wanted = ids.length === 0 ? rows : rows.filter((row) => ids.includes(shownStuckId(MOVED, row)));
      const unknown = ids.filter((id) => !rows.some((row) => shownStuckId(MOVED, row) === id));
      const retried = await retryStuck(pool, MOVED, { rows: wanted, now: systemClock.now() });
      if (json) console.log(JSON.stringify({ retried, unknown }));
      else console.log(`${retried} ${retried === 1 ? 'row tries' : 'rows try'} again.`);
      if (unknown.length === 0) return;
      if (!json) console.error(`Not stuck: ${unknown.join(', ')}. \`npm run ops -- stuck list\` shows what is.`);
      process.exitCode = 1;
    }),
  );

const payouts = program.command('payouts').description('payouts that only a person can end');

payouts
  .command('evidence')
  .description('print the file by which a person ended a payout')
  .argument('<id>', 'the payout: po_…')
  .action((id: string) =>
    withDatabase(async (pool, environment) => {
      process.stdout.write(await readEvidence(pool, id, environment));
    }),
  );

payouts
  .command('resolve')
  .description('end one whose outcome is unknown, by what was found out outside: books it, audited, and for good')
  .argument('<id>', 'the payout: po_…')
  .requiredOption('--as <outcome>', 'paid or failed')
  .requiredOption('--evidence <file>', 'what shows it, such as a line of a statement: kept sealed, up to 256 KB')
  .option('--by <name>', 'who decides; the user of this system without it')
  .option('--dry-run', 'show what would be booked')
  .option('--json', 'print one JSON object')
  .action((id: string, { json, ...options }: ResolveOptions & { json?: boolean }) =>
    withDatabase(async (pool, environment) => {
      const done = await resolveByPerson(pool, id, options, environment);
      if (json) console.log(JSON.stringify(done));
      else for (const [name, value] of Object.entries(done)) console.log(`${name}: ${[value].flat().join('; ')}`);
      if (done.result === 'refused') process.exitCode = 1;
    }),
  );

program
  .command('queues')
  .description('jobs in the queues, how long rows wait for each pool, payouts whose outcome is unknown')
  .option('--json', 'print one JSON object')
  .action(({ json }: { json?: boolean }) =>
    withDatabase(async (pool, environment) => {
      const now = systemClock.now();
      const times = new WaitingTimes({ pool, groups: GROUPS, scanLimitMs: QUEUES_LIMIT_MS });
      const [backlog, waiting, unknown, foreign, queues] = await Promise.all([
        readBacklog(pool, MOVED, now),
        times.read(now),
        countUnknown(pool),
        countForeignNotices(pool),
        readQueues(environment),
      ]);
      const due = backlog.map(({ kind, oldestDueAt, due: rows, stuck: stuckRows }) => ({
        kind,
        due: rows,
        oldest_seconds: secondsSince(oldestDueAt, now),
        stuck: stuckRows,
      }));
      const oldest = waiting.map(({ since, ...of }) => ({ ...of, oldest_seconds: secondsSince(since, now) }));
      if (json)
        console.log(
          JSON.stringify({ ...queues, waiting: oldest, rows: due, payouts_unknown: unknown, notices_foreign: foreign }),
        );
      else {
        console.log(`Jobs (${queues.backend})\n${queues.error ?? tableOf(queues.queues)}`);
        console.log(`\nHow long the oldest row has waited for a worker of its pool\n${tableOf(oldest)}`);
        console.log(`\nRows that no sweeper has enqueued in time\n${tableOf(due)}`);
        console.log(
          unknown.length > 0
            ? `\nPayouts of unknown outcome\n${tableOf(unknown)}`
            : '\nNo payout is of unknown outcome.',
        );
        if (foreign > 0) console.log(`\nNotices of rails about books that are not ours: ${foreign}`);
      }
      if (queues.error !== undefined) process.exitCode = 1;
    }),
  );

addExceptions(program, { withDatabase, tableOf });
addNotices(program, { withDatabase, tableOf });
addRails(program, { withDatabase, tableOf });
addPauses(program, { withDatabase, tableOf });
addPolicy(program, { withDatabase });
addFiles(program, { withDatabase });
addErase(program, { withDatabase, tableOf });
addRekey(program, { withDatabase, tableOf });
addBookCommands(program, withDatabase, tableOf);
addWriteOffs(program, { withDatabase, tableOf });

await runDirectly(import.meta, program);

function secondsSince(since: Instant | null, now: Instant): number {
  return since === null ? 0 : Math.max(0, Math.round((now - since) / 1_000));
}

async function withDatabase(work: (pool: Pool, environment: NodeJS.ProcessEnv) => Promise<void>): Promise<void> {
  let pool: Pool | undefined;
  try {
    const environment = environmentOrEmbedded();
    const namedStatements = mayNameStatements(environment);
    pool = createPool({ url: environment.DATABASE_URL!, name: 'countinghouse-ops', size: 2, log, namedStatements });
    await work(pool, environment);
  } catch (error) {
    const { message, code, errors } = error as Error & { code?: string; errors?: Error[] };
    console.error(message || errors?.map((inner) => inner.message).join('; ') || code);
    process.exitCode = 1;
  } finally {
    await pool?.end();
  }
}

interface QueueView {
  backend: Queues['backend'];
  queues: Record<string, unknown>[];
  /** Why the queues could not be read. Rows in Postgres are shown all the same. */
  error?: string;
}

/** Reads the queues that the product uses with the same environment. An empty variable counts as unset. */
async function readQueues(environment: NodeJS.ProcessEnv): Promise<QueueView> {
  const queues = createQueues(
    {
      DATABASE_URL: environment.DATABASE_URL!,
      QUEUE_DATABASE_URL: environment.QUEUE_DATABASE_URL || undefined,
      REDIS_URL: environment.REDIS_URL || undefined,
      REDIS_CLUSTER: environment.REDIS_CLUSTER === 'true',
      QUEUE_LANES: Number(environment.QUEUE_LANES || 1),
    },
    log,
  );
  const { backend } = queues;
  try {
    const depths = await queues.depths({ limitMs: QUEUES_LIMIT_MS });
    return { backend, queues: depths.map(({ queue, states }) => ({ queue, ...states })) };
  } catch (error) {
    return { backend, queues: [], error: (error as Error).message };
  } finally {
    await queues.close();
  }
}

function tableOfStuck(rows: readonly StuckRow[]): string {
  return tableOf(
    rows.map((row) => {
      const { error, ...view } = stuckView(MOVED, row);
      return { ...view, error: error.split('\n')[0] };
    }),
  );
}

/** Has a column for each member of the first row, and colors on a terminal only. */
function tableOf(rows: readonly Record<string, unknown>[]): string {
  const head = Object.keys(rows[0] ?? {});
  const table = new Table({ head, ...(process.stdout.isTTY ? {} : { style: { head: [], border: [] } }) });
  for (const row of rows) table.push(head.map((name) => String(row[name] ?? '')));
  return table.toString();
}
