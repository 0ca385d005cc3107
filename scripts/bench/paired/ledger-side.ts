/**
 * A process of its own: a committer of one build under load. Commits differ in the modules beneath the committer, so
 * each build brings its own load (scripts/bench/ledger-load.ts) and makes its own committer (scripts/bench/book.ts). Up
 * to commit 594730c the committer's option `enqueue` is named `ring`: book.ts of each commit passes the right one. Up to 0.2.0, and
 * in builds on the way to 0.3.0, log.ts lay in src/.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export type LedgerSlice = 'uniform' | 'hot' | 'books4' | 'concurrent' | 'one_by_one';

export type LedgerQuestion =
  /** Makes the books. Answered with true. */
  | { ask: 'open'; root: string; databaseUrl: string }
  /** Answered with entries a second. */
  | { ask: 'run'; slice: LedgerSlice }
  /** Answered with true once every connection is closed. */
  | { ask: 'close' };

interface Committing {
  run(slice: LedgerSlice): Promise<number>;
  close(): Promise<void>;
}

const ACCOUNTS = 20_000;
const BOOKS = 4;

async function open(root: string, databaseUrl: string): Promise<Committing> {
  const load = (path: string) => import(pathToFileURL(join(root, path)).href);
  const { createLogger }: typeof import('../../../src/process/log.ts') = await load('src/process/log.js').catch(() =>
    load('src/log.js'),
  );
  const { createPool }: typeof import('../../../src/db/pool.ts') = await load('src/db/pool.js');
  const { createCommitter, openBookWithAccounts }: typeof import('../book.ts') = await load('scripts/bench/book.js');
  const { hotCommands, inTurns, submitAll, uniformCommands }: typeof import('../ledger-load.ts') =
    await load('scripts/bench/ledger-load.js');
  const pool = createPool({ url: databaseUrl, name: 'bench', size: 10, log: createLogger('warn', 'bench') });
  const book = await openBookWithAccounts(pool, { name: 'One book', accounts: ACCOUNTS });
  const four: (typeof book)[] = [];
  for (let number = 1; number <= BOOKS; number++) {
    four.push(await openBookWithAccounts(pool, { name: `Book ${number}`, accounts: ACCOUNTS / BOOKS }));
  }
  const committer = createCommitter(pool);
  const full = { count: 20_000, callers: 2_000 };
  const slices = {
    uniform: { source: uniformCommands(book), ...full },
    hot: { source: hotCommands(book), ...full },
    books4: { source: inTurns(four.map(uniformCommands)), ...full, callers: full.callers * BOOKS },
    concurrent: { source: uniformCommands(book), count: 6_000, callers: 64 },
    one_by_one: { source: uniformCommands(book), count: 500, callers: 1 },
  };
  return {
    async run(slice) {
      const { source, count, callers } = slices[slice];
      const started = performance.now();
      await submitAll(committer, source, { count, callers });
      return count / ((performance.now() - started) / 1000);
    },
    async close() {
      await committer.close();
      await pool.end();
    },
  };
}

let committing: Committing | undefined;

async function answer(question: LedgerQuestion): Promise<number | true> {
  if (question.ask === 'run') return committing!.run(question.slice);
  if (question.ask === 'open') committing = await open(question.root, question.databaseUrl);
  else await committing!.close();
  return true;
}

// An error ends this process with the error on standard error, and the bench fails.
process.on('message', async (question: LedgerQuestion) => process.send!(await answer(question)));
process.once('disconnect', () => process.exit());
