/**
 * Matches lines of bank statements with expected items: rule after rule, the strongest first. Pure: lines and items are put in an order of their
 * own, so the same set gives the same matches whatever the order of files and rows. What is not certain is left, with proposals.
 */
import { Ladder } from './ladder.ts';
import type { Matched, MatchInput } from './matching.ts';
import { proposeAll } from './propose.ts';
import { byBookingRule, byCharges, byTolerance } from './rules-by-difference.ts';
import { byAmountAndCounterparty, byDay, byOwnTransfer, byReversal, bySequence } from './rules-by-party.ts';
import {
  byBankReference,
  byBatch,
  byDetails,
  byEndToEndId,
  byReferenceCut,
  byReferenceInText,
  bySplit,
} from './rules-by-reference.ts';

/** In the order of RULES. These need no more than the line and what it names. */
const NAMED = [byBankReference, byEndToEndId, byReferenceInText, byReferenceCut, byDetails, byBatch, bySplit];
/** These look at lines and items beside each other. */
const TOGETHER = [
  byReversal,
  byOwnTransfer,
  bySequence,
  byDay,
  byAmountAndCounterparty,
  byCharges,
  byTolerance,
  byBookingRule,
];

/** `named`: the rules that go by references alone, for a page of lines with the items that they name; what is left is nobody's yet. */
export function matchLines(input: MatchInput, which: 'all' | 'named' = 'all'): Matched {
  const ladder = new Ladder(input);
  for (const rule of which === 'named' ? NAMED : [...NAMED, ...TOGETHER]) rule(ladder);
  const left = which === 'named' ? [] : proposeAll(ladder);
  return { matches: ladder.matches, left };
}
