/** The lines or the items of one match, a page at a time. They stand in its row: at most 10,000, and they never change. */
import type { Page, PageRequest } from '../../db/page.ts';
import { ApiError } from '../../errors/errors.ts';
import type { MatchedLine } from './bank-match.ts';

export interface MatchPart extends MatchedLine {
  /** Its place, from 1. */
  readonly sequence: number;
}

/** The last one first, as every list. Throws ApiError `cursor_invalid` for a place that the match does not have. */
export function pageOfParts(
  parts: readonly MatchedLine[],
  { limit, startingAfter, endingBefore }: PageRequest,
): Page<MatchPart> {
  const placeOf = (cursor: string, param: string) => {
    const place = Number(cursor);
    if (place <= parts.length) return place;
    throw new ApiError('cursor_invalid', { param, detail: `The match has ${parts.length} of them.` });
  };
  const all = parts.map(({ id, amount }, index): MatchPart => ({ id, amount, sequence: index + 1 }));
  if (endingBefore !== undefined) {
    const from = placeOf(endingBefore, 'ending_before');
    return { rows: all.slice(from, from + limit).reverse(), hasMore: from + limit < all.length };
  }
  const to = startingAfter === undefined ? all.length : placeOf(startingAfter, 'starting_after') - 1;
  const from = Math.max(to - limit, 0);
  return { rows: all.slice(from, Math.max(to, 0)).reverse(), hasMore: from > 0 };
}
