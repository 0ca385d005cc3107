/**
 * The pure core, the committer on a real Postgres and a naive reference get the same random commands. After each step
 * they must agree in balances, holds, line numbers, sequences, events, postings and answers. See docs/models.md.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { createLogger } from '../../src/process/log.ts';
import { expectDocumentedEvents } from '../support/documented-events.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { anyAction } from './draw.ts';
import { PARTS } from './parts.ts';
import { printCounts, printRun, RUN_LIMIT_MS, runOptions, Tally } from './run-options.ts';
import { type Step, ThreeLedgers } from './three-ledgers.ts';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.applicationUrl, name: 'test', size: 8, log: createLogger('silent', 'test') });
});

afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

/** Mostly a little forwards, sometimes past every expiry or backwards, or days on, when shares are released. */
const jumpMs = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 0, max: 500 }) },
  { weight: 1, arbitrary: fc.integer({ min: -5_000, max: 20_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 3 * 24 * 60 * 60_000 }) },
);
const step: fc.Arbitrary<Step> = fc.record({ jumpMs, actions: fc.array(anyAction, { minLength: 1, maxLength: 12 }) });

/** Begins with funded accounts, captured payments and cards, so that most commands can succeed. */
const SUCCEEDED = { do: 'say', operation: 0, isOpen: true, word: 'succeeded', notice: null, releaseDays: 1 };
const BEGINNING: Step = {
  jumpMs: 0,
  actions: [0, 0, 0, 1].flatMap((currency, account) => [
    { do: 'open', key: null, currency: currency as 0 | 1, overdraft: 0 },
    { do: 'fund', key: null, account, amount: 1_000, wrong: false },
    { do: 'hold', key: null, account, amount: 100, expiresMs: null },
    { do: 'pay', key: null, account, amount: 600, manual: account === 1, dry: false, wrong: false },
    { ...SUCCEEDED, onceSettled: account !== 2 },
    { do: 'issue card', key: null, account, singleUse: account === 1 },
  ]),
};

/** The step before which the installation is contracted, if it comes. Often the first: no book takes cards before that. */
const contractAt = fc.oneof(fc.nat({ max: 25 }), fc.constant(0));

/** The average of the lists below. */
const COMMANDS_A_RUN = 85;

test(
  'three ledgers agree after each step',
  async () => {
    const options = runOptions({ steps: 1_100 });
    printRun('models, ledger', options);
    const tally = new Tally();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25, size: 'max' }), contractAt, async (steps, at) => {
        const ledgers = await ThreeLedgers.open(pool);
        try {
          for (const [done, one] of [BEGINNING, ...steps].entries()) {
            if (done === at) ledgers.contract();
            await ledgers.take(one);
          }
          await ledgers.verify();
        } catch (error) {
          throw new Error(`${ledgers.history}\n${(error as Error).message}`, { cause: error });
        } finally {
          tally.add(ledgers.seen);
          await ledgers.close();
        }
      }),
      { numRuns: Math.ceil(options.steps / COMMANDS_A_RUN), seed: options.seed },
    );
    expect(tally.total).toBeGreaterThan(0);
    await expectDocumentedEvents(database, {
      ofTheTest: PARTS.flatMap(({ eventsOfTheTest = [] }) => eventsOfTheTest),
    });
    printCounts(`models, ledger: ${tally.total} commands`, tally);
  },
  RUN_LIMIT_MS,
);
