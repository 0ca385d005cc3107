import type { Resource, Shown } from '../../ledger/resources/resource.ts';
import { personal } from '../../ledger/rows/personal-text.ts';
import { currencyExponent } from '../../money/currency.ts';
import { parseActor, viewOfActor } from '../../values/actor.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId, publicIdOrNull } from '../../values/ids.ts';
import { allowedActions, BANK_MATCH_TRANSITIONS, type BankMatch } from './bank-match.ts';
import { bankMatches } from './bank-match-table.ts';

const PARTS_SHOWN = 100;

export const bankMatchResource: Resource<BankMatch, Shown> = {
  name: 'bank_match',
  table: bankMatches,
  parent: null,
  events: ['bank_match.proposed', 'bank_match.approved', 'bank_match.rejected', 'bank_match.undone'],
  books: true,
  lineText: {},
  changed: (match, change) => ({ ...match, ...change }),
  transitions: BANK_MATCH_TRANSITIONS,
  allowedActions,
  view: (match, { livemode }) => ({
    id: publicId('bankMatch', match.id),
    object: 'bank_match',
    livemode,
    status: match.status,
    rule: match.rule,
    rules_version: match.rulesVersion,
    reason: textOf(match, 'reason', match.reason),
    account: publicIdOrNull('account', match.comparedAccountId),
    currency: match.currency,
    currency_exponent: currencyExponent(match.currency),
    lines: match.lines
      .slice(0, PARTS_SHOWN)
      .map(({ id, amount }) => ({ line: publicId('bankLine', id), amount: BigInt(amount) })),
    lines_total: match.lines.length,
    items: match.items
      .slice(0, PARTS_SHOWN)
      .map(({ id, amount }) => ({ item: publicId('expectedItem', id), amount: BigInt(amount) })),
    items_total: match.items.length,
    difference: match.differenceTo === null ? null : { amount: match.difference, to: match.differenceTo },
    by: actorView(match.proposedBy),
    approved_by: actorView(match.approvedBy),
    undone_by: actorView(match.undoneBy),
    undo_reason: textOf(match, 'undo_reason', match.undoReason),
    journal_entries: match.entryIds.map((id) => publicId('entry', id)),
    allowed_actions: allowedActions(match),
    request_id: publicId('request', match.requestId),
    version: match.version,
    created_at: formatInstant(match.createdAt),
    updated_at: formatInstant(match.updatedAt),
  }),
};

/** A rule writes no personal text. */
function textOf({ id, textSalt, proposedBy }: BankMatch, member: 'reason' | 'undo_reason', text: string | null) {
  const isRules = member === 'reason' && proposedBy === null;
  return textSalt === null || isRules
    ? text
    : personal({ object: 'bank_match', objectId: id, salt: textSalt }, member, text);
}

function actorView(actor: string | null) {
  return actor === null ? null : viewOfActor(parseActor(actor), NO_OWNERS);
}

const NO_OWNERS = new Map<string, never>();
