/** Totals behind the journal: what blocks of entries moved, folded once, added up by reports and held against the journal. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { submitAll } from '../../../scripts/bench/ledger-load.ts';
import { createRandom } from '../../../scripts/harness/random.ts';
import { addDays, dayOf } from '../../../src/calendar/day.ts';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { accounts } from '../../../src/ledger/account/account-table.ts';
import { LOG_LINES_MAX, loadBalancesAt } from '../../../src/ledger/balances/balances-at.ts';
import { readFolded } from '../../../src/ledger/balances/totals/folded-store.ts';
import { loadBook } from '../../../src/ledger/book/book-store.ts';
import { Draft } from '../../../src/ledger/command/draft.ts';
import { createLogger } from '../../../src/process/log.ts';
import { type Asked, FigureContradicted, type Row } from '../../../src/reports/figures/figures.ts';
import { FIGURE_TYPES, type FigureName, kindFor } from '../../../src/reports/figures/kinds.ts';
import { placeAt } from '../../../src/reports/figures/place.ts';
import { foldBook } from '../../../src/reports/totals/fold-totals.ts';
import { sumAtPlace } from '../../../src/reports/totals/sum-at-place.ts';
import { addBlock, findUnfolded, sumBlocks } from '../../../src/reports/totals/totals-store.ts';
import { BEFORE_ALL_IDS, newId, publicId, type Uuid } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { findingsOf } from '../../support/findings.ts';
import { LATEST_FORMS } from '../../support/forms.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { type Line, linesOf, randomJournal } from '../../support/random-journal.ts';

const ENTRIES = 20_100;
let database: TestDatabase;
let owner: Pool;
let book: TestBook;
/** The first ones have a long log of lines of other days, the last ones a short one. */
const ids: Uuid[] = [];
const HEAVY = 8;
const ACCOUNTS = 20;
const DAY_MS = 86_400_000;
const FIRST = '2026-10-27';
const POSTED_ON = [0, 1, 2].map((days) => addDays(FIRST, days));
const { fraction } = createRandom(11);
const below = (limit: number) => Math.floor(fraction() * limit);

beforeAll(async () => {
  database = await createTestDatabase();
  owner = createPool({ url: database.ownerUrl, name: 'test', size: 1, log: createLogger('silent', 'test') });
  let now = Date.parse(`${FIRST}T10:00:00Z`);
  book = await openBook({ database: database.applicationUrl, forms: LATEST_FORMS, clock: { now: () => now } });
  while (ids.length < ACCOUNTS) ids.push(await book.account({ overdraftLimit: 1_000_000_000n }));
  for (const _ of POSTED_ON) {
    const source = () => ({ bookId: book.id, command: randomEntry(now) });
    await submitAll(book.committer, source, { count: ENTRIES / POSTED_ON.length, callers: 1_000 });
    now += DAY_MS;
  }
});

/** Half of them take effect on another day: up to four days before, or two days later. */
function randomEntry(now: number) {
  const by = { id: newId(), requestId: newId(), actor: 'test' };
  const debit = below(HEAVY);
  const credit = below(10) === 0 ? HEAVY + below(ACCOUNTS - HEAVY) : (debit + 1 + below(HEAVY - 1)) % HEAVY;
  const posting = { debit: ids[debit]!, credit: ids[credit]!, amount: BigInt(1 + below(900)) };
  const effectiveAt = below(2) === 0 ? undefined : now + (below(7) - 4) * DAY_MS;
  return {
    ...by,
    name: 'test.post',
    touches: [{ table: accounts, ids: [posting.debit, posting.credit] }],
    decide(state: ConstructorParameters<typeof Draft>[0], moment: ConstructorParameters<typeof Draft>[2]) {
      const draft = new Draft(state, by, moment);
      const of = { resource: 'request', resourceId: by.requestId, step: 'posted' } as const;
      draft.post({ ...of, effectiveAt, postings: [posting] });
      return draft.finish(undefined);
    },
  };
}

afterAll(async () => {
  await owner?.end();
  await book?.close();
  await database?.drop();
});

const head = async () => (await loadBook(book.pool, book.id))!.entrySequence;
const fold = async () => foldBook(book.pool, { id: book.id, head: await head() });

async function reported(name: FigureName, asked: Asked) {
  const of = (await loadBook(book.pool, book.id))!;
  const place = await placeAt(book.pool, of, { ...asked, day: asked.to });
  const rows: Row[] = [];
  const { kind } = FIGURE_TYPES[name];
  for await (const page of kindFor({ kind }, asked).rows({ db: book.pool, book: of, asked, place }))
    rows.push(...page.rows);
  return { place, rows };
}

async function trialAt(sequence: bigint) {
  const of = (await loadBook(book.pool, book.id))!;
  const day = dayOf(of.lastPostedAt, of.timeZone);
  return reported('trial_balance', { axis: 'effective', from: day, to: day, sequence });
}

test('a block has what its entries moved on each account and day, as the time zone of the book counts days', async () => {
  const journal = await randomJournal(database.applicationUrl);
  try {
    const { id, pool } = journal.book;
    await addBlock(pool, id, { level: 0, block: 0n });
    const sums = new Map<string, [bigint, bigint]>();
    for (const { account, effectiveOn, debit, credit } of await linesOf(journal)) {
      const [debits, credits] = sums.get(`${account} ${effectiveOn}`) ?? [0n, 0n];
      sums.set(`${account} ${effectiveOn}`, [debits + debit, credits + credit]);
    }
    const kept = await journal.book.rows<{ account_id: string; effective_on: string; debits: bigint; credits: bigint }>(
      'SELECT account_id, effective_on, debits, credits FROM journal_totals WHERE book_id = $1',
    );
    const shown = kept.map((row): [string, [bigint, bigint]] => [
      `${row.account_id} ${row.effective_on}`,
      [row.debits, row.credits],
    ]);
    expect(new Map(shown)).toEqual(sums);
    expect(sums.size).toBeGreaterThan(20);
  } finally {
    await journal.book.close();
  }
});

/** Debits and credits of each account, added up line by line. */
function plainSums(lines: readonly Line[], counts: (line: Line) => boolean): Map<Uuid, [bigint, bigint]> {
  const sums = new Map(ids.map((id): [Uuid, [bigint, bigint]] => [id, [0n, 0n]]));
  for (const line of lines) {
    if (!counts(line)) continue;
    const sum = sums.get(line.account)!;
    sum[0] += line.debit;
    sum[1] += line.credit;
  }
  return sums;
}

/** Days before the first, of the journal, and behind the last. */
const someDay = () => addDays(FIRST, below(9) - 5);

test('a book with entries that are not folded is found', async () => {
  const unfolded = await findUnfolded(book.pool, { after: BEFORE_ALL_IDS, limit: 10 });
  expect(unfolded).toContainEqual({ id: book.id, head: await head() });
});

describe.each([0, 1, 2])('with %i of two blocks folded, figures are the plain sums of the journal', (folded) => {
  let lines: Line[];
  let all: bigint;
  beforeAll(async () => {
    if (folded === 1) await addBlock(book.pool, book.id, { level: 0, block: 0n });
    // Two processes at once: each block is there once.
    if (folded === 2) await Promise.all([fold(), fold()]);
    expect((await readFolded(book.pool, book.id))[0]).toBe(BigInt(folded));
    lines = await linesOf({ book, timeZone: 'UTC' });
    all = await head();
  });
  const somewhere = (axis: Asked['axis'], from = someDay(), to = addDays(from, below(4))): Asked => {
    const sequence = [all, 10_000n, 20_000n, BigInt(below(Number(all) + 1))][below(4)]!;
    return { axis, from, to, sequence };
  };
  const dayIn = ({ axis }: Asked, line: Line) => (axis === 'posted' ? line.postedOn : line.effectiveOn);

  test.each(['effective', 'posted'] as const)('at places by %s days', async (axis) => {
    for (let run = 0; run < 5; run++) {
      const asked = somewhere(axis);
      const { from, to, sequence } = asked;
      const until = (day: string) => (line: Line) => line.sequence <= sequence && dayIn(asked, line) <= day;
      const [opening, closing] = [plainSums(lines, until(addDays(from, -1))), plainSums(lines, until(to))];
      const { place, rows } = await reported('account_activity', asked);
      const at = JSON.stringify({ ...asked, sequence: Number(sequence) });
      for (const { id, posted } of await loadBalancesAt(book.pool, book.id, place, ids)) {
        const [debits, credits] = closing.get(id)!;
        expect(posted, at).toBe(credits - debits);
        const row = rows.find(({ account }) => account === publicId('account', id));
        const before = opening.get(id)!;
        expect([row?.debits ?? 0n, row?.credits ?? 0n], at).toEqual([debits - before[0], credits - before[1]]);
        expect(row?.closing ?? 0n, at).toBe(posted);
      }
    }
  });

  test('in the general ledger of an account by effect, in the order of days', async () => {
    const asked = { ...somewhere('effective', addDays(FIRST, -2), FIRST), account: ids[0]! };
    const { rows } = await reported('general_ledger', { ...asked, detail: 'entry' });
    const counted = lines.filter(
      (line) =>
        line.account === asked.account &&
        line.sequence <= asked.sequence &&
        line.effectiveOn >= asked.from &&
        line.effectiveOn <= asked.to,
    );
    expect(rows.length).toBe(counted.length + 1);
    const shown = rows.slice(1).map((row) => row.effective_on as string);
    expect(shown).toEqual([...shown].sort());
  });
});

test('accounts of that journal have long logs and short ones', async () => {
  const logs = await book.rows<{ lines: number }>(
    'SELECT count(*)::integer AS lines FROM effective_lines WHERE book_id = $1 GROUP BY account_id ORDER BY 1',
  );
  expect(logs.length).toBe(ACCOUNTS);
  expect(logs.filter(({ lines }) => lines > LOG_LINES_MAX).length).toBe(HEAVY);
});

test('reports of any entry agree with blocks, and fold those that are missing', async () => {
  expect(await fold()).toBe(0);
  expect(await findUnfolded(book.pool, { after: BEFORE_ALL_IDS, limit: 10 })).toEqual([]);
  expect(await readFolded(book.pool, book.id)).toEqual([2n, 0n, 0n, 0n, 0n]);
  for (const sequence of [0n, 1n, 9_999n, 10_000n, 10_001n, 20_000n, await head()]) {
    const { place, rows } = await trialAt(sequence);
    const sums = await sumAtPlace(book.pool, book.id, place);
    const standing = rows.reduce((sum, { debit, credit }) => sum + (debit as bigint) - (credit as bigint), 0n);
    expect(standing).toBe([...sums!.values()].reduce((sum, one) => sum + one, 0n));
  }
  expect(await findingsOf(book)).toEqual([]);
});

test('a larger block has what the blocks below it have', async () => {
  await fold();
  await addBlock(book.pool, book.id, { level: 1, block: 0n });
  const of = (blocks: { level: number; block: bigint }[]) => sumBlocks(book.pool, book.id, { blocks, day: null });
  const byCode = (found: Awaited<ReturnType<typeof of>>) => new Map(found.map((sum) => [sum.code, sum.onDebit]));
  const below = [0n, 1n].map((block) => ({ level: 0, block }));
  expect(byCode(await of([{ level: 1, block: 0n }]))).toEqual(byCode(await of(below)));
  expect(await findingsOf(book)).toEqual([]);
});

test.each([
  ['long', 0],
  ['short', ACCOUNTS - 1],
])(
  'a total of an account with a %s log that is wrong by one minor unit is found, and fails the report that adds it up',
  async (_, of) => {
    await fold();
    const plant = (by: number) =>
      owner.query(
        `ALTER TABLE journal_totals DISABLE TRIGGER USER;
       UPDATE journal_totals t SET debits = debits + ${by} FROM (
         SELECT account_id, effective_on FROM journal_totals WHERE book_id = '${book.id}' AND level = 0 AND block = 1
           AND account_id = '${ids[of]}' ORDER BY effective_on LIMIT 1) AS one
       WHERE t.book_id = '${book.id}' AND level = 0 AND block = 1 AND t.account_id = one.account_id AND t.effective_on = one.effective_on;
       ALTER TABLE journal_totals ENABLE TRIGGER USER`,
      );
    await plant(1);
    expect(await findingsOf(book)).toContainEqual(expect.objectContaining({ check: 'journal_totals.block' }));
    await expect(trialAt(20_000n)).rejects.toThrow(FigureContradicted);
    await trialAt(19_999n);
    const place = { sequence: 20_000n, postedThrough: 20_000n, day: FIRST };
    const balances = loadBalancesAt(book.pool, book.id, place, [ids[of]!]);
    // Few lines are added up from the log: totals have no part in them.
    if (of < HEAVY) await expect(balances).rejects.toThrow(FigureContradicted);
    else await balances;
    await plant(-1);
    await trialAt(20_000n);
    await expect(book.pool.query('UPDATE journal_totals SET debits = 0')).rejects.toThrow();
  },
);
