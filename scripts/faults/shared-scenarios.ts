/**
 * Requests of small tenants share database transactions: one that dies, hangs or loses its answer, and one book's
 * failure, disturb no other book.
 */
import { randomUUID } from 'node:crypto';
import { parsePublicId } from '../../src/values/ids.ts';
import { certainAnswer } from './certain-answer.ts';
import { startLoad } from './load.ts';
import { payWhileFrozen } from './pay-while-frozen.ts';
import { curePayouts, lockRow, poisonPayout, readIdleInTransaction, readStuck, retryStuck } from './postgres-store.ts';
import { expectThat, type Play, pause, type Scenario, untilThat } from './scenario.ts';
import type { Tenant } from './tenants.ts';

/** For longer than a shared batch waits for a lock (200 ms), and than several attempts of the isolated book. */
const LOCKED_MS = 4_000;
/** Payouts of each book that prove that it continues. */
const MORE = 5;
const BURST_CALLERS = 20;
const BURST = 150;
const SAME_BOOKS_ROUNDS = 15;
/** Answers that were on their way when a row was locked. */
const ON_THEIR_WAY = 2;

/** A process hangs with the locks of several books, for longer than Postgres lets it. */
function freezeInside(name: string, about: string, victim: (play: Play) => Play['stage']['workers'][number]): Scenario {
  return {
    name,
    about,
    shared: true,
    async play(play) {
      const { stage, load, random } = play;
      const frozen = victim(play);
      await frozen.kill();
      await frozen.start({ failpoints: `ledger.shared.before=stop@${random.between(1, 20)}` });
      await frozen.reached('ledger.shared.before');
      let idleWithLocks: readonly number[] = [];
      await untilThat('its connection is idle in a transaction', async () => {
        idleWithLocks = await readIdleInTransaction(stage.behind);
        return idleWithLocks.length > 0;
      });
      await untilThat('Postgres ends its transaction', async () => {
        const idle = await readIdleInTransaction(stage.behind);
        idleWithLocks = idleWithLocks.filter((pid) => idle.includes(pid));
        return idleWithLocks.length === 0;
      });
      await load.untilMore(MORE);
      frozen.thaw();
      await load.untilEachHasMore(stage.tenants, MORE);
    },
  };
}

/** A stranger locks a row of the first book, and all others continue. */
async function lockWhileOthersGoOn({ stage, load }: Play, lock: (tenant: Tenant) => Promise<() => Promise<void>>) {
  const [locked, ...others] = stage.tenants as [Tenant, ...Tenant[]];
  const letGo = await lock(locked);
  try {
    const before = load.acceptedOf(locked);
    await Promise.all([load.untilEachHasMore(others, MORE), pause(LOCKED_MS)]);
    const more = load.acceptedOf(locked) - before;
    expectThat(more <= ON_THEIR_WAY, `${more} payouts were accepted while the row was held`);
  } finally {
    await letGo();
  }
  await load.untilEachHasMore(stage.tenants, MORE);
}

export const sharedScenarios: readonly Scenario[] = [
  freezeInside(
    'frozen-in-a-shared-transaction',
    'SIGSTOP of a worker with the locks of several books: Postgres ends its transaction after a second, nothing of it remains',
    ({ stage }) => stage.workers[0],
  ),
  freezeInside(
    'api-frozen-in-a-shared-transaction',
    'the same with an API: whoever asked it asks another under the same key',
    ({ stage }) => stage.apis[0]!,
  ),
  {
    name: 'answer-of-a-shared-commit-lost',
    about:
      'the connection breaks between a commit of several books and its answer, while other processes write the same books',
    shared: true,
    async play({ stage, load }) {
      const { api, worker } = stage.network;
      for (const { postgres } of [api, worker, api, worker])
        await postgres.cutAt('books.update_all', 'before its answer', { answer: 'COMMIT' });
      for (const { postgres } of [api, worker]) await postgres.cutAt('books.update_all', 'before it arrives');
      await load.untilEachHasMore(stage.tenants, MORE);
    },
  },
  {
    name: 'same-books-at-once',
    about: 'two APIs are asked the same of all books at once, under the same keys, again and again: one payout each',
    shared: true,
    async play({ stage, load, random }) {
      for (let round = 0; round < SAME_BOOKS_ROUNDS; round++) {
        await Promise.all(stage.tenants.map((tenant) => askBoth(stage, tenant, random.between(1_000, 9_000))));
      }
      await load.untilEachHasMore(stage.tenants, MORE);
    },
  },
  {
    name: 'book-held',
    about: "a stranger holds one book's row for seconds: it waits, and all other books go on",
    shared: true,
    play: (play) => lockWhileOthersGoOn(play, ({ keys }) => lockRow(play.stage.behind, 'books', keys.testBookId)),
  },
  {
    name: 'account-held',
    about: "a stranger holds the row of one book's account for seconds: all other books go on",
    shared: true,
    play: (play) =>
      lockWhileOthersGoOn(play, async ({ accounts }) => {
        const locking = accounts.map(({ id }) => lockRow(play.stage.behind, 'accounts', parsePublicId('account', id)!));
        const letGo = await Promise.all(locking);
        return async () => void (await Promise.all(letGo.map((one) => one())));
      }),
  },
  {
    name: 'busy-and-quiet-again',
    about: 'one book becomes so busy that it has batches of its own, and quiet again, twice: the others go on',
    shared: true,
    async play({ stage, load }) {
      const [busy, ...others] = stage.tenants as [Tenant, ...Tenant[]];
      for (let round = 0; round < 2; round++) {
        const payers = Array.from({ length: BURST_CALLERS }, () => busy);
        const burst = await startLoad(busy.clients, { payers, thinkMs: 0 });
        try {
          await Promise.all([burst.untilMore(BURST), load.untilEachHasMore(others, MORE)]);
        } catch (error) {
          await burst.abandon();
          throw error;
        }
        await burst.stop();
        for (const id of burst.payouts()) stage.accepted.add(id);
        await load.untilEachHasMore(stage.tenants, MORE);
      }
    },
  },
  {
    name: 'poison-among-books',
    about: 'one payout of one book that the database refuses to move: it is stuck and shown, and all books go on',
    shared: true,
    async play({ stage, load, random }) {
      const { behind, workers, tenants } = stage;
      const { clients, accounts } = tenants[0]!;
      // No worker moves the payout before it is poisoned.
      const asked = { client: clients[0]!, account: accounts[0]!, amount: random.between(1_000, 9_000) };
      const id = await payWhileFrozen(stage, asked);
      const payoutId = parsePublicId('payout', id)!;
      await poisonPayout(behind, payoutId);
      for (const one of workers) one.thaw();
      await untilThat('the payout is stuck', async () => (await readStuck(behind)).length > 0);
      await load.untilEachHasMore(tenants, 2 * MORE);
      const stuck = await readStuck(behind);
      expectThat(
        stuck.length === 1 && stuck[0]!.id === payoutId,
        `Stuck are ${JSON.stringify(stuck)}, not ${id} alone`,
      );
      await curePayouts(behind);
      await retryStuck(behind);
    },
  },
];

/** One request under one key at every API at once: one payout, and one answer. */
async function askBoth({ accepted }: Play['stage'], { clients, accounts }: Tenant, amount: number): Promise<void> {
  const { id: account, currency } = accounts[0]!;
  const body = { account, currency, amount, destination: { type: 'cliq', alias: 'SHOP1' } };
  const request = { path: '/v1/payouts', key: randomUUID(), body };
  const answers = await Promise.all(clients.map((client) => certainAnswer([client], request)));
  const [first] = answers;
  expectThat(
    first!.status === 202 && answers.every(({ text }) => text === first!.text),
    `One key was answered ${answers.map(({ status, text }) => `${status} ${text}`).join(' and ')}`,
  );
  accepted.add(first!.body.id);
}
