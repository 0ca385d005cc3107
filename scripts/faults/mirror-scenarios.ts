/**
 * What the operator's book has of all books: a worker dies around the lines that it mirrors, before the days of fees go on, and around a collection.
 * Payouts are of a book of the scenarios' own, and other books are mirrored beside it. Afterwards every line of every pool is mirrored once, each
 * day's fees are collected once, and the operator's book is what the books state.
 */
import { randomUUID } from 'node:crypto';
import type { BookId } from '../../src/ledger/book/book.ts';
import { findOrganisationOfBook, operatorBooks } from '../../src/organisations/organisation-store.ts';
import { newPerson } from '../../src/organisations/person.ts';
import { insertPeople } from '../../src/organisations/person-store.ts';
import type { Failpoint } from '../../src/process/failpoints.ts';
import { systemClock } from '../../src/values/clock.ts';
import { Client, succeeded } from '../harness/client.ts';
import { makeRowsDue } from '../harness/database-store.ts';
import { issueApiKey } from '../harness/issue-api-key.ts';
import { makeOrganisation } from '../harness/organisation.ts';
import { certainAnswer } from './certain-answer.ts';
import { untilEnded } from './kill-scenarios.ts';
import { countPoolsBehind, readFees, unlikeTheBooks } from './mirror-records-store.ts';
import { expectThat, type Play, type Scenario, untilThat } from './scenario.ts';
import { ALL_POOLS, type Stage } from './stage.ts';

const CURRENCY = 'JOD';
const PAYOUTS = 8;
const AMOUNT = 10_000;

export const mirrorScenarios: readonly Scenario[] = [
  ...(['mirror.lines.read', 'mirror.lines.booked'] as const).map((point) => ({
    name: `kill-ledger-at-${point}`,
    about: `kill -9 of a worker of the ledger pool at ${point}: every line of every pool is mirrored once`,
    diesAt: point,
    play: (play: Play) => killAt(play, point, { hit: play.random.between(1, 3) }),
  })),
  {
    name: 'kill-ledger-at-fee.days.begun',
    about:
      'kill -9 of a worker of the ledger pool at fee.days.begun: the fees of a new book are collected all the same',
    diesAt: 'fee.days.begun',
    play: (play) => killAt(play, 'fee.days.begun', { newBook: true }),
  },
  ...(['fee.collect.before', 'fee.collect.after'] as const).map((point) => ({
    name: `kill-ledger-at-${point}`,
    about: `kill -9 of a worker of the ledger pool at ${point}: the fees of a day are collected once, with their tax`,
    diesAt: point,
    play: (play: Play) => killAt(play, point, { advancing: true }),
  })),
];

interface Kill {
  /** Hits until it dies. */
  readonly hit?: number;
  /** The book is made once the worker is to die. */
  readonly newBook?: true;
  /** The worker dies on the way to the end of the day, and not while payouts are paid. */
  readonly advancing?: true;
}

async function killAt({ stage, afterwards }: Play, point: Failpoint, { hit = 1, newBook, advancing }: Kill) {
  const operatorBookId = await begun(stage);
  const [victim, other] = stage.workers;
  const arm = async () => {
    await Promise.all([victim.kill(), other.kill()]);
    await victim.start({ failpoints: `${point}=kill@${hit}`, pools: ALL_POOLS });
  };
  const untilDead = async () => {
    await untilEnded(stage, victim);
    expectThat(victim.output.includes(`failpoint ${point}: SIGKILL`), `It died elsewhere:\n${victim.output}`);
    await Promise.all([victim.start({ pools: ALL_POOLS }), other.start({ pools: ALL_POOLS })]);
  };
  const known = newBook ? undefined : await ownBook(stage);
  if (!advancing) await arm();
  await inBook(stage, known ?? (await openBook(stage)), async (book) => {
    const before = await readFees(stage.behind, book.id);
    const payouts = await pay(book);
    if (!advancing) await untilDead();
    await untilPaid(stage, book, payouts);
    await untilThat('the days of its fees', async () => (await readFees(stage.behind, book.id)).days > 0);
    if (advancing) await arm();
    await endDay(book);
    if (advancing) await untilDead();
    await untilThat('the collection of its fees', async () => {
      await makeRowsDue(stage.behind);
      const { collections, due } = await readFees(stage.behind, book.id);
      return collections > before.collections && due === 0n;
    });
  });
  afterwards(async () => {
    await untilThat('the mirror of every pool', async () => {
      await makeRowsDue(stage.behind);
      return (await countPoolsBehind(stage.behind, operatorBookId)) === 0;
    });
    return unlikeTheBooks(stage.behind, operatorBookId);
  });
}

interface OwnBook {
  readonly id: BookId;
  readonly key: string;
}

interface Entered {
  readonly id: BookId;
  readonly clients: readonly Client[];
}

const books = new WeakMap<Stage, OwnBook>();

/** The same for all scenarios of a stage: the days of its fees begin within a minute. */
async function ownBook(stage: Stage): Promise<OwnBook> {
  const book = books.get(stage) ?? (await openBook(stage));
  books.set(stage, book);
  return book;
}

async function openBook({ behind }: Stage): Promise<OwnBook> {
  const { testBookId: id, testKey: key } = await makeOrganisation(behind);
  return { id, key };
}

async function inBook(stage: Stage, { id, key }: OwnBook, play: (book: Entered) => Promise<void>): Promise<void> {
  const clients = stage.apis.map(({ url }) => new Client(url, key));
  try {
    await play({ id, clients });
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}

const operators = new WeakMap<Stage, BookId>();

/** The operator's book, with a bank account: from then on books are mirrored, and fees collected. */
async function begun(stage: Stage): Promise<BookId> {
  const known = operators.get(stage);
  if (known !== undefined) return known;
  const { behind } = stage;
  // A fee contains tax from here on.
  for (const process of [...stage.apis, ...stage.workers]) {
    await process.kill();
    await process.start({ environment: { FEE_TAX_PERCENT: `${CURRENCY}:16` } });
  }
  const bookId = (await operatorBooks(behind)).test;
  const person = newPerson((await findOrganisationOfBook(behind, bookId))!, 'Accountant', systemClock.now());
  await insertPeople(behind, [person]);
  const of = { bookId, mode: 'test' as const, name: 'Faults', personId: person.id };
  const { token } = await issueApiKey(behind, systemClock, { ...of, scopes: ['reconciliations:write'] });
  const clients = stage.apis.map(({ url }) => new Client(url, token));
  const body = {
    ...{ name: 'Current account', currency: CURRENCY, holds: 'customer_money' },
    ...{ identifiers: ['JO94CBJO0010000000000131000302'], opening: { on: '2026-01-01', amount: 0 } },
  };
  succeeded(await certainAnswer(clients, { path: '/v1/transactions/bank_accounts', key: randomUUID(), body }));
  await Promise.all(clients.map((client) => client.close()));
  operators.set(stage, bookId);
  return bookId;
}

/** Each has a fee once it is paid. */
async function pay({ clients }: Entered): Promise<string[]> {
  const account = await clients[1]!.openAccount({ currency: CURRENCY });
  const body = {
    ...{ account: account.id, amount: AMOUNT, currency: CURRENCY },
    destination: { type: 'cliq', alias: 'SHOP1' },
  };
  const ids: string[] = [];
  for (let number = 0; number < PAYOUTS; number++)
    ids.push(succeeded(await certainAnswer(clients, { path: '/v1/payouts', key: randomUUID(), body })).id);
  return ids;
}

/** A fee that is earned later is of the next day. */
async function untilPaid({ behind }: Stage, { clients }: Entered, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    await untilThat(`the payment of ${id}`, async () => {
      await makeRowsDue(behind);
      return (await clients[1]!.payout(id)).status === 'paid';
    });
}

/** Of the book's own day. */
async function endDay({ clients }: Entered): Promise<void> {
  const advance = { path: '/v1/simulations/clock/advance', key: randomUUID(), body: { by: 'P1D' } };
  succeeded(await certainAnswer(clients, advance));
}
