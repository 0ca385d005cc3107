/**
 * The tax on fees that were collected on some days: each collection with the tax that it contains, and the sum of each currency. Of a book of the
 * operator's it has the collections of all books of its mode. What a collection states is what its entry moved, or there is no report.
 */
import { percentText } from '../../money/percent-by-currency.ts';
import { operatorBooks } from '../../organisations/organisation-store.ts';
import { BEFORE_ALL_IDS, publicId } from '../../values/ids.ts';
import { further } from '../../values/progress.ts';
import { type CollectedFees, listBookPage, listCollectedFees } from './fee-tax-store.ts';
import { FigureContradicted, type FigureKind, type FigureOrigin, type Row } from './figures.ts';

/** The place behind the sums. */
const END = 'end';

export const feeTax: FigureKind = {
  columns: [
    { name: 'currency', is: 'word' },
    { name: 'book', is: 'word' },
    { name: 'day', is: 'word' },
    { name: 'collection', is: 'word' },
    { name: 'tax_percent', is: 'word' },
    { name: 'collected', is: 'amount' },
    { name: 'fees', is: 'amount' },
    { name: 'tax', is: 'amount' },
  ],
  balances: false,
  async *rows(origin, from = '0') {
    if (from === END) return;
    const totals = new Map<string, { collected: bigint; tax: bigint }>();
    let read = 0;
    for await (const page of collectedOf(origin)) {
      for (const one of page) {
        const sum = totals.get(one.currency) ?? { collected: 0n, tax: 0n };
        totals.set(one.currency, { collected: sum.collected + one.amount, tax: sum.tax + one.tax });
      }
      // What was kept before is read again, for the sums alone.
      const rows = page.slice(Math.max(Number(from) - read, 0)).map(rowOf);
      read += page.length;
      if (rows.length > 0) yield { rows, next: String(read) };
    }
    const sums = [...totals]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([currency, { collected, tax }]) => ({
        ...{ currency, book: 'total', day: null, collection: null, tax_percent: null },
        ...{ collected, fees: collected - tax, tax },
      }));
    yield { rows: sums, next: END };
  },
};

function rowOf({ id, bookId, currency, day, amount, tax, taxBasisPoints, moved }: CollectedFees): Row {
  const collection = publicId('feeCollection', id);
  if (moved !== amount)
    throw new FigureContradicted(
      `${collection} states ${amount} ${currency}, and its entry moved ${moved}. Run \`npm run verify\`.`,
    );
  return {
    ...{ currency, book: publicId('book', bookId), day, collection, tax_percent: percentText(taxBasisPoints) },
    ...{ collected: amount, fees: amount - tax, tax },
  };
}

const BOOKS_PER_PAGE = 100;

/** By book, then by day and currency. */
async function* collectedOf({ db, book, asked }: FigureOrigin): AsyncGenerator<CollectedFees[]> {
  const books = await operatorBooks(db);
  const mode = (['test', 'live'] as const).find((one) => books[one] === book.id);
  if (mode === undefined) {
    yield* pagesOf(db, { ...asked, bookIds: [book.id] });
    return;
  }
  for (let after = BEFORE_ALL_IDS; ; ) {
    const bookIds = await listBookPage(db, mode, { after, limit: BOOKS_PER_PAGE });
    // Entries of another book have other numbers: those of finished days are there, whatever comes later.
    yield* pagesOf(db, { ...asked, sequence: null, bookIds });
    if (bookIds.length < BOOKS_PER_PAGE) return;
    after = further('books with fees', after, bookIds.at(-1)!);
  }
}

type Among = Omit<Parameters<typeof listCollectedFees>[1], 'after' | 'limit'>;

const ROWS_PER_PAGE = 1_000;

async function* pagesOf(db: FigureOrigin['db'], among: Among): AsyncGenerator<CollectedFees[]> {
  for (let after: CollectedFees | undefined; ; ) {
    const page = await listCollectedFees(db, { ...among, after, limit: ROWS_PER_PAGE });
    if (page.length > 0) yield page;
    if (page.length < ROWS_PER_PAGE) return;
    after = page.at(-1)!;
  }
}
