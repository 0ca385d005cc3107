/** Lines, items and rules for tests of matching: what a test does not say is as the golden scenarios say it. */
import { matchLines } from '../../src/reconciliation/matches/match-lines.ts';
import type { AccountRules, MatchInput, MatchItem, OpenLine } from '../../src/reconciliation/matches/matching.ts';

export const RAIL_ACCOUNT = 'JO71RAIL0000000000000000000001';
export const ACME_ACCOUNT = 'JO71ACME0000000000000000000002';
/** Our form of an end-to-end id. */
export const OURS = (letter: string) => `CH${letter.repeat(32)}0`;

export const lineOf = (change: Partial<OpenLine> & Pick<OpenLine, 'amount'>): OpenLine => ({
  ...{ id: 'line', bankAccountId: 'B1', bookedOn: '2026-11-03', place: 1, currency: 'JOD', bankReference: null },
  ...{ endToEndId: null, refs: [], batchId: null, batchTransactions: null, counterpartyName: null },
  ...{ counterpartyAccount: null, text: null, code: null, charges: [], details: [] },
  ...change,
});

export const itemOf = (change: Partial<MatchItem> & Pick<MatchItem, 'amount'>): MatchItem => ({
  ...{ id: 'item', party: 'rail', clearingAccountId: `clearing ${change.party ?? 'rail'}`, currency: 'JOD' },
  ...{ direction: change.amount > 0n ? 'in' : 'out', expectedOn: '2026-11-03', endToEndId: null, bankReference: null },
  ...{
    whole: change.amount,
    documentReference: null,
    batchId: null,
    isPartly: false,
    resource: 'payout',
    resourceId: change.id ?? 'item',
  },
  exceptionId: null,
  ...change,
});

export const reportOf = (change: Partial<MatchItem> & Pick<MatchItem, 'amount'>): MatchItem =>
  itemOf({ party: 'acme', resource: 'acquirer_report', ...change });

const RULES_OF_B1: AccountRules = {
  ...{ version: 1, calendar: 'fri_sat', window: { before: 1, after: 5 }, tolerances: [], bookings: [] },
  parties: [
    { party: 'rail', accounts: [RAIL_ACCOUNT], names: ['The Rail'], settles: 'single' },
    { party: 'acme', accounts: [ACME_ACCOUNT], names: [], settles: 'sequence' },
  ],
};

export function inputOf(
  lines: readonly OpenLine[],
  items: readonly MatchItem[],
  rules: Partial<AccountRules> = {},
): MatchInput {
  const account = { ...RULES_OF_B1, ...rules };
  return {
    ...{ lines, items },
    rules: {
      accounts: new Map([
        ['B1', account],
        ['B2', account],
      ]),
      own: new Map([
        ['OWN1', 'B1'],
        ['OWN2', 'B2'],
      ]),
    },
  };
}

/** In words: `rule: lines ↔ items (difference)`, and what is left. */
export function said(input: MatchInput): string[] {
  const { matches, left } = matchLines(input);
  const ids = (parts: readonly { readonly id: string; readonly amount: bigint }[]) =>
    parts.map(({ id, amount }) => `${id} ${amount}`).join(', ') || 'nothing';
  return [
    ...matches.map(
      ({ rule, lines, items, difference }) =>
        `${rule}: ${ids(lines)} ↔ ${ids(items)}${difference ? ` (${difference.amount} to ${difference.to})` : ''}`,
    ),
    ...left.map(
      ({ lineId, kind, proposals }) =>
        `${kind}: ${lineId}${proposals.map(({ rule, itemIds, difference }) => `, perhaps ${itemIds.join(' and ')} by ${rule}${difference === 0n ? '' : ` with ${difference}`}`).join('')}`,
    ),
  ];
}
