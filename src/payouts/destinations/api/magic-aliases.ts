/** What the reference says of the sandbox's aliases, at the field that takes one. A test compares them with the sandbox. */
const OUTCOMES: readonly (readonly [aliases: readonly string[], outcome: string])[] = [
  [['PENDING'], 'stays `processing` until `POST /v1/simulations/payouts/{id}/complete` or `/fail`'],
  [['NOALIAS'], 'fails with `alias_unregistered`'],
  [['CLOSED'], 'fails with `payee_account_closed`'],
  [['BLOCKED'], 'fails with `payee_account_blocked`'],
  [['LIMIT'], 'fails with `amount_exceeds_rail_limit`'],
  [['MISMATCH'], 'fails with `payee_name_mismatch`'],
  [['BANKDOWN'], 'fails with `payee_bank_unavailable`'],
  [['TIMEOUT'], 'unknown at first; an inquiry finds it paid'],
  [['TIMEOUTFAIL'], 'unknown at first; an inquiry finds it rejected with `payee_bank_unavailable`'],
  [['RETURN'], 'paid, then returned in full'],
  [['RETURNHALF'], 'paid, then half of it returned'],
  [
    ['WRONGAMOUNT', 'WRONGCURRENCY', 'WRONGPAYEE'],
    'confirmed with another amount, currency or payee: unknown, with an exception',
  ],
];

/** A Markdown list: a line for each outcome. */
export const MAGIC_ALIASES_LISTED = OUTCOMES.map(
  ([aliases, outcome]) => `- ${aliases.map((alias) => `\`${alias}\``).join(', ')}: ${outcome}`,
).join('\n');

export const LISTED_ALIASES: readonly string[] = OUTCOMES.flatMap(([aliases]) => aliases);
