/** A line of an account as lists and statements show it. */
import { dayOf } from '../../calendar/day.ts';
import type { Queryable } from '../../db/pool.ts';
import type { AccountLine } from '../../ledger/account/account-line-store.ts';
import type { Book } from '../../ledger/book/book.ts';
import type { LineText } from '../../ledger/resources/line-text.ts';
import type { ReadLineTexts } from '../../ledger/resources/line-text-store.ts';
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId, resourceReference } from '../../values/ids.ts';

/** A line with the texts of its resource, and with its days in the time zone of the book. */
export interface ShownLine extends AccountLine, LineText {
  readonly postedOn: string;
  readonly effectiveOn: string;
}

export async function withTexts(
  readTexts: ReadLineTexts,
  { db, book }: { readonly db: Queryable; readonly book: Pick<Book, 'id' | 'timeZone'> },
  lines: readonly AccountLine[],
): Promise<ShownLine[]> {
  const texts = await readTexts(db, book.id, lines);
  return lines.map((line, at) => withDays({ ...line, ...texts[at]! }, book));
}

export function withDays<Line extends AccountLine>(line: Line, { timeZone }: Pick<Book, 'timeZone'>) {
  const postedOn = dayOf(line.postedAt, timeZone);
  const effectiveOn = line.effectiveAt === line.postedAt ? postedOn : dayOf(line.effectiveAt, timeZone);
  return { ...line, postedOn, effectiveOn };
}

export function lineView(line: ShownLine) {
  return {
    object: 'account_entry',
    sequence: line.line,
    direction: line.direction,
    amount: line.amount,
    currency: line.currency,
    currency_exponent: currencyExponent(line.currency),
    balance_after: line.balanceAfter,
    kind: line.kind,
    counter_account: publicId('account', line.counterAccountId),
    journal_entry: publicId('entry', line.entryId),
    resource: line.resource,
    resource_id: resourceReference(line.resource, line.resourceId),
    step: line.step,
    external_id: line.externalId,
    end_to_end_id: line.endToEndId,
    counterparty: line.counterparty,
    description: line.description,
    posted_at: formatInstant(line.postedAt),
    effective_at: formatInstant(line.effectiveAt),
    effective_on: line.effectiveOn,
    occurred_on: line.occurredOn,
  };
}
