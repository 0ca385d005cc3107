/** The parameters of a report, which stand before its rows in JSON. The time of making is no part of them. */
import { publicId } from '../../values/ids.ts';
import type { Asked } from './figures.ts';
import type { FigureName, ReportType } from './kinds.ts';
import type { BookOfReport } from './place.ts';

export interface HeadOf extends Pick<ReportType, 'of'> {
  readonly name: FigureName;
  readonly book: BookOfReport;
  readonly asked: Asked;
  /** Null before the first entry. */
  readonly chainHash: string | null;
}

export function headOf({ name, of, book, asked, chainHash }: HeadOf): Readonly<Record<string, unknown>> {
  const { from, to, axis, currency, account, detail, sequence } = asked;
  return {
    type: name,
    book: publicId('book', book.id),
    time_zone: book.timeZone,
    ...(of === 'day' ? { as_of: to } : { from, to }),
    axis,
    currency: currency ?? null,
    ...(account !== undefined && { account: publicId('account', account) }),
    ...(detail !== undefined && { detail }),
    through_sequence: sequence,
    chain_hash: chainHash,
  };
}
