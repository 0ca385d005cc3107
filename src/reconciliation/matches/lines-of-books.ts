/**
 * Lines whose credit a customer's book has, or is about to have. Only the item of that credit takes such a line: matched with anything else, its money
 * would be given away twice. For commands: a credit may have gone to a book since it was read.
 */
import type { Touch } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { inboundCredits } from '../../outside/credits/credit-table.ts';
import { expectedItems } from '../items/expected-item-table.ts';
import { awaitedBy, type CreditsOfLines } from '../lines/credit-of-line-store.ts';
import type { BankMatch } from './bank-match.ts';

export function creditTouches(credits: CreditsOfLines): Touch[] {
  const ids = new Set([...credits.values()].flat().map(({ id }) => id));
  return ids.size === 0 ? [] : [{ table: inboundCredits, ids: [...ids] }];
}

/** Whether a book has a line of the match by its credit, and the match is not that one's. */
export function takesFromBook(
  draft: Draft,
  { lines, items }: Pick<BankMatch, 'lines' | 'items'>,
  credits: CreditsOfLines,
): boolean {
  const shown = items.map(({ id }) => draft.get(expectedItems, id)?.resourceId);
  return lines.some(({ id }) => {
    const awaited = awaitedBy(credits, id);
    return awaited.length > 0 && !awaited.some((one) => shown.includes(one));
  });
}

/** Whether a credit of its lines has moved since it was read. */
export function haveCreditsMoved(draft: Draft, { lines }: Pick<BankMatch, 'lines'>, credits: CreditsOfLines): boolean {
  return lines.some(({ id }) =>
    (credits.get(id) ?? []).some((credit) => draft.get(inboundCredits, credit.id)?.status !== credit.status),
  );
}
