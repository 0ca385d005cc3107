/**
 * A book with a journal of some days: money that arrives, entries between customers and between own accounts, many of which take effect on
 * another day than they are posted on. What reports must say of it is summed up from the journal's rows alone.
 */
import { createRandom } from '../../scripts/harness/random.ts';
import { dayOf } from '../../src/calendar/day.ts';
import { openOwnAccount } from '../../src/journal/accounts/open-own-account.ts';
import { changeTimeZone } from '../../src/journal/change-time-zone.ts';
import { postEntry } from '../../src/journal/entries/post-entries.ts';
import type { AccountCode } from '../../src/ledger/account/account-code.ts';
import type { AccountType } from '../../src/ledger/account/chart-names.ts';
import { loadBook } from '../../src/ledger/book/book-store.ts';
import { newId, type Uuid } from '../../src/values/ids.ts';
import { openBook, type TestBook } from './book.ts';
import { LATEST_FORMS } from './forms.ts';

const HOUR = 3_600_000;
const CURRENCIES = ['EUR', 'JOD', 'JPY'] as const;
/** Descriptions that would be something else in a file of plain text. */
const TEXTS = [
  'Rent',
  'a;b "c" \\',
  'x\n2026-01-01 * planted\n    Assets:Pool:EUR  1.00 EUR',
  '(code) | = {1} @ 2 EUR',
  null,
];

export interface RandomJournal {
  readonly book: TestBook;
  readonly timeZone: string;
  /** Days that have entries, the first and the last of them. */
  readonly first: string;
  readonly last: string;
  readonly head: bigint;
}

export async function randomJournal(
  database: string,
  { seed = 7, entries = 120, timeZone = 'Africa/Cairo' } = {},
): Promise<RandomJournal> {
  const { fraction } = createRandom(seed);
  const below = (limit: number) => Math.floor(fraction() * limit);
  let now = Date.parse('2026-10-27T21:00:00Z');
  const start = now;
  const book = await openBook({ database, forms: LATEST_FORMS, clock: { now: () => now } });
  const by = { requestId: newId(), actor: 'test' };
  await book.submit(changeTimeZone({ timeZone, ...by }));
  const accounts = new Map<string, Uuid[]>();
  for (const currency of CURRENCIES) {
    const own = (code: string, type: AccountType) =>
      book.submit(
        openOwnAccount({
          bookId: book.id,
          code,
          name: `${code} of ${currency}; "x"`,
          type,
          currency,
          floor: null,
          externalId: null,
          metadata: {},
          ...by,
        }),
      );
    const customers = [];
    for (let at = 0; at < 4; at++) customers.push(await book.account({ currency, overdraftLimit: 50_000n }));
    accounts.set(`customer ${currency}`, customers);
    const mine = [];
    for (const [code, type] of [
      ['rent', 'expense'],
      ['Bank-1', 'asset'],
      ['sales', 'income'],
      ['loan', 'liability'],
    ] as const) {
      const opened = (await own(code, type)) as { resourceId: Uuid };
      mine.push(opened.resourceId);
    }
    accounts.set(`own ${currency}`, mine);
  }
  for (let at = 0; at < entries; at++) {
    now += below(6 * HOUR);
    const currency = CURRENCIES[below(3)]!;
    if (below(4) === 0) {
      await book.fund(accounts.get(`customer ${currency}`)![below(4)]!, BigInt(1 + below(9_000)), currency);
      continue;
    }
    const of = accounts.get(`${below(2) === 0 ? 'own' : 'customer'} ${currency}`)!;
    const debit = below(4);
    const posting = {
      debit: of[debit]!,
      credit: of[(debit + 1 + below(3)) % 4]!,
      amount: BigInt(1 + below(500)),
      currency,
    };
    const effectiveOn = below(3) === 0 ? dayOf(Math.max(start, now - below(96 * HOUR)), timeZone) : undefined;
    const description = TEXTS[below(TEXTS.length)]!;
    const entry = { postings: [posting], effectiveOn, description, externalId: null, metadata: {}, expect: [] };
    await book.submit(postEntry({ bookId: book.id, ...by }, entry));
  }
  const { entrySequence: head } = (await loadBook(book.pool, book.id))!;
  return { book, timeZone, first: dayOf(start, timeZone), last: dayOf(now, timeZone), head };
}

export interface Line {
  readonly sequence: bigint;
  readonly account: Uuid;
  readonly code: AccountCode;
  readonly currency: string;
  readonly debit: bigint;
  readonly credit: bigint;
  readonly postedOn: string;
  readonly effectiveOn: string;
}

/** Every line of the journal, on either side, with its days. */
export async function linesOf({ book, timeZone }: Pick<RandomJournal, 'book' | 'timeZone'>): Promise<Line[]> {
  const side = (mine: 'debit' | 'credit') => `
    SELECT e.sequence, p.${mine}_account_id AS account, a.code, p.currency, e.posted_at, e.effective_at,
      ${mine === 'debit' ? 'p.amount' : '0::bigint'} AS debit, ${mine === 'credit' ? 'p.amount' : '0::bigint'} AS credit
    FROM postings p JOIN entries e ON e.book_id = p.book_id AND e.sequence = p.entry_sequence
    JOIN accounts a ON a.book_id = p.book_id AND a.id = p.${mine}_account_id WHERE p.book_id = $1`;
  const rows = await book.rows<Omit<Line, 'postedOn' | 'effectiveOn'> & { posted_at: number; effective_at: number }>(
    `${side('debit')} UNION ALL ${side('credit')}`,
  );
  return rows.map(({ posted_at, effective_at, ...line }) => ({
    ...line,
    postedOn: dayOf(posted_at, timeZone),
    effectiveOn: dayOf(effective_at, timeZone),
  }));
}
