/**
 * Totals, reports, closes and opening balances: a process dies between blocks of the fold, between pages of a report, before a close is ended, and in
 * the middle of an import. In a book of their own, which no load writes: afterwards totals are the journal, a report has the digest of one that
 * nothing disturbed, days are closed once, and each line of an import is booked once.
 */
import { randomUUID } from 'node:crypto';
import { addDays } from '../../src/calendar/day.ts';
import type { BookId } from '../../src/ledger/book/book.ts';
import { findOrganisationOfBook } from '../../src/organisations/organisation-store.ts';
import { newPerson } from '../../src/organisations/person.ts';
import { insertPeople } from '../../src/organisations/person-store.ts';
import type { Failpoint } from '../../src/process/failpoints.ts';
import { systemClock } from '../../src/values/clock.ts';
import type { PoolName } from '../../workers/run.ts';
import { Client, type List, succeeded } from '../harness/client.ts';
import { makeRowsDue } from '../harness/database-store.ts';
import { issueApiKey } from '../harness/issue-api-key.ts';
import { makeOrganisation } from '../harness/organisation.ts';
import { certainAnswer } from './certain-answer.ts';
import { type OwnBook, playImport } from './import-play.ts';
import { untilEnded } from './kill-scenarios.ts';
import { countPeriods, readFold } from './report-records-store.ts';
import { expectThat, type Play, type Scenario, untilThat } from './scenario.ts';
import { ALL_POOLS, type Stage } from './stage.ts';

const WITH_REPORTS: readonly PoolName[] = [...ALL_POOLS, 'reports'];
/** Of level 0 of the totals. */
const BLOCK_ENTRIES = 10_000;
/** The most that a request posts. */
const BATCH_ENTRIES = 100;
const CURRENCY = 'JOD';

export const reportScenarios: readonly Scenario[] = [
  ...(['totals.block.before', 'totals.block.after'] as const).map(killFold),
  ...(['report.page.kept', 'report.file.ended'] as const).map(killReport),
  {
    name: 'kill-ledger-at-period.verified',
    about:
      'kill -9 of a worker of the ledger pool at period.verified: the days are closed once, and none of the book twice',
    diesAt: 'period.verified',
    play: killClose,
  },
  {
    name: 'import-killed',
    about:
      'kill -9 of the API that an import of opening balances asks, and of the import: run again, each line is booked once',
    play: ({ stage }) => inBook(stage, (book) => playImport(stage, book)),
  },
];

interface Filled extends OwnBook {
  readonly today: string;
  /** Posts entries, half of which take effect on another day. */
  fill(entries: number): Promise<void>;
}

interface Known {
  readonly id: BookId;
  readonly key: string;
  readonly accounts: readonly string[];
}

const books = new WeakMap<Stage, Known>();

async function inBook(stage: Stage, play: (book: Filled) => Promise<void>): Promise<void> {
  const known = books.get(stage);
  const { id, key } = known ?? (await newBook(stage));
  const clients = stage.apis.map(({ url }) => new Client(url, key));
  try {
    const post = async <Body>(path: string, body: Record<string, unknown>) =>
      succeeded(await certainAnswer<Body>(clients, { path, key: randomUUID(), body }));
    const open = async (code: string) =>
      (await post<{ id: string }>('/v1/journal/accounts', { code, name: code, type: 'asset', currency: CURRENCY })).id;
    const accounts = known?.accounts ?? [await open('one'), await open('other')];
    books.set(stage, { id, key, accounts });
    const journal = () => clients[1]!.read<{ through_sequence: number }>('/v1/journal');
    const today = new Date(systemClock.now()).toISOString().slice(0, 10);
    const [debit, credit] = accounts;
    const fill = async (entries: number) => {
      const entryOf = (at: number) => ({
        postings: [{ debit, credit, amount: 1 + (at % 900), currency: CURRENCY }],
        ...(at % 2 === 0 && { effective_on: addDays(today, -1 - (at % 5)) }),
      });
      for (let from = 0; from < entries; from += BATCH_ENTRIES)
        await post('/v1/journal/entries/batches', {
          entries: Array.from({ length: Math.min(BATCH_ENTRIES, entries - from) }, (_, at) => entryOf(from + at)),
        });
    };
    await play({ id, key, clients, open, fill, today, head: async () => (await journal()).through_sequence });
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}

async function newBook(stage: Stage): Promise<Omit<Known, 'accounts'>> {
  const { behind } = stage;
  const { testBookId: id, name } = await makeOrganisation(behind);
  const person = newPerson((await findOrganisationOfBook(behind, id))!, 'Accountant', systemClock.now());
  await insertPeople(behind, [person]);
  const of = { bookId: id, mode: 'test' as const, name, scopes: ['*'], personId: person.id };
  return { id, key: (await issueApiKey(behind, systemClock, of)).token };
}

/** Starts the first worker to die, and no other that has the pool. */
async function armOne({ workers }: Stage, point: Failpoint, hit = 1): Promise<void> {
  const [victim, other] = workers;
  await Promise.all([victim.kill(), other.kill()]);
  await victim.start({ failpoints: `${point}=kill@${hit}`, pools: WITH_REPORTS });
}

async function untilDead(stage: Stage, point: Failpoint): Promise<void> {
  const [victim, other] = stage.workers;
  await untilEnded(stage, victim);
  expectThat(victim.output.includes(`failpoint ${point}: SIGKILL`), `It died elsewhere:\n${victim.output}`);
  await Promise.all([victim.start({ pools: WITH_REPORTS }), other.start({ pools: WITH_REPORTS })]);
}

function killFold(point: Failpoint): Scenario {
  return {
    name: `kill-reports-at-${point}`,
    about: `kill -9 of a worker of the reports pool at ${point}: every block is there once, and is what its entries moved`,
    diesAt: point,
    play: ({ stage }) =>
      inBook(stage, async (book) => {
        await armOne(stage, point);
        await book.fill(BLOCK_ENTRIES);
        await untilDead(stage, point);
        const whole = Math.floor((await book.head()) / BLOCK_ENTRIES);
        await untilThat('the fold', async () => (await readFold(stage.behind, book.id)).blocks === whole);
        const { wrong } = await readFold(stage.behind, book.id);
        expectThat(wrong === 0, `Totals of ${wrong} accounts and days are not what their entries moved`);
      }),
  };
}

interface Report {
  readonly id: string;
  readonly status: string;
  readonly through_sequence: number;
  readonly result: { readonly sha256: string; readonly digest: string; readonly bytes: number } | null;
}

function killReport(point: Failpoint): Scenario {
  return {
    name: `kill-reports-at-${point}`,
    about: `kill -9 of a worker of the reports pool at ${point}: the report has the bytes of one that nothing disturbed`,
    diesAt: point,
    play: ({ stage, random }) =>
      inBook(stage, async (book) => {
        // A file of several pieces.
        const lacks = BLOCK_ENTRIES - (await book.head());
        if (lacks > 0) await book.fill(lacks);
        await armOne(stage, point, point === 'report.page.kept' ? random.between(1, 3) : 1);
        const disturbed = await ask(book, await book.head());
        await untilDead(stage, point);
        const written = await untilWritten(stage, book, disturbed);
        const other = await untilWritten(stage, book, await ask(book, disturbed.through_sequence));
        const [one, same] = [written, other].map(({ result }) =>
          [result?.sha256, result?.digest, result?.bytes].join(),
        );
        expectThat(
          written.status === 'succeeded' && one === same,
          `${JSON.stringify(written)} ${JSON.stringify(other)}`,
        );
        const { data } = await book.clients[1]!.read<List<{ type: string }>>(
          `/v1/events?object=${written.id}&limit=100`,
        );
        const times = data.filter(({ type }) => type === 'report.succeeded').length;
        expectThat(times === 1, `${written.id} succeeded ${times} times`);
      }),
  };
}

async function ask({ clients, today }: Filled, sequence: number): Promise<Report> {
  const days = { from: addDays(today, -10), to: today };
  const body = { type: 'general_ledger', ...days, detail: 'entry', format: 'csv', through_sequence: sequence };
  return succeeded(await certainAnswer<Report>(clients, { path: '/v1/reports', key: randomUUID(), body }));
}

async function untilWritten({ behind }: Stage, { clients }: Filled, { id }: Report): Promise<Report> {
  let report: Report | undefined;
  await untilThat(`the end of ${id}`, async () => {
    await makeRowsDue(behind);
    report = await clients[1]!.read<Report>(`/v1/reports/${id}`);
    return report.status === 'succeeded' || report.status === 'failed';
  });
  return report!;
}

async function killClose({ stage }: Play): Promise<void> {
  await inBook(stage, async (book) => {
    await book.fill(BATCH_ENTRIES);
    const through = addDays(book.today, -2);
    await armOne(stage, 'period.verified');
    const path = '/v1/journal/periods/close';
    const asked = await certainAnswer<{ id: string }>(book.clients, { path, key: randomUUID(), body: { through } });
    const { id } = succeeded(asked);
    await untilDead(stage, 'period.verified');
    await untilThat(`the end of ${id}`, async () => {
      await makeRowsDue(stage.behind);
      return (await book.clients[1]!.read<{ status: string }>(`/v1/journal/periods/${id}`)).status !== 'pending';
    });
    const found = JSON.stringify(await countPeriods(stage.behind, book.id, through));
    const { closed_through: closed } = await book.clients[1]!.read<{ closed_through: string }>('/v1/journal');
    expectThat(found === '{"closed":1}' && closed === through, `Closed through ${closed}, periods ${found}`);
  });
}
