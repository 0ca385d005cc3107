/**
 * The lines of an account in the order of the days on which they take effect, and of their numbers: those of the days of their posting, and
 * between them those of other days, from their log.
 */
import { dayOf } from '../../calendar/day.ts';
import type { Uuid } from '../../values/ids.ts';
import { further } from '../../values/progress.ts';
import { isOfOneDay, type LedgerPlace } from './account-ledger.ts';
import type { FigureOrigin } from './figures.ts';
import { type LedgerLine, readLedgerLines, readOtherLines } from './ledger-lines-store.ts';

interface OfAccount {
  readonly id: Uuid;
  /** The last line that was posted by the last day. */
  readonly through: bigint;
  readonly from: Pick<LedgerPlace, 'line' | 'other'>;
}

export async function* linesByEffect(origin: FigureOrigin, of: OfAccount): AsyncGenerator<LedgerLine> {
  const others = otherLines(origin, of);
  let other = await others.next();
  for await (const line of ownLines(origin, of)) {
    const day = dayOf(line.postedAt, origin.book.timeZone);
    for (; !other.done && isBefore(other.value, { day, line: line.line }); other = await others.next())
      yield other.value;
    yield line;
  }
  for (; !other.done; other = await others.next()) yield other.value;
}

const isBefore = ({ movedTo, line }: LedgerLine, than: { readonly day: string; readonly line: bigint }) =>
  movedTo! < than.day || (movedTo === than.day && line < than.line);

/** Lines of a page: some ten milliseconds. */
const PAGE = 2_000;

async function* ownLines({ db, book }: FigureOrigin, { id, through, from }: OfAccount): AsyncGenerator<LedgerLine> {
  for (let after = from.line; after < through; ) {
    const upTo = after + BigInt(PAGE) < through ? after + BigInt(PAGE) : through;
    for (const line of await readLedgerLines(db, book.id, [{ id, after, through: upTo }]))
      if (isOfOneDay(line, book.timeZone)) yield line;
    after = further('lines of an account', after, upTo);
  }
}

/** Before all of them. */
const BEGINNING = { day: '', line: 0n };

async function* otherLines({ db, book, asked }: FigureOrigin, { id, from }: OfAccount): AsyncGenerator<LedgerLine> {
  for (let after = from.other ?? BEGINNING; ; ) {
    const page = await readOtherLines(db, book.id, { ...asked, id, after, limit: PAGE });
    yield* page;
    if (page.length < PAGE) return;
    const { movedTo: day, line } = page.at(-1)!;
    after = { day: day!, line };
  }
}
