/**
 * The magic values of the sandbox (API.md §7) and the outcome of each: aliases, wallets, ends of JO IBANs and phones. The
 * destination decides the outcome, never the amount: amounts stay free for tests of amounts. A card has the script of its
 * test number, which the sandbox acquirer keeps with its token.
 */
import { railCodeOf } from './failure-codes.ts';
import type { InstructedDestination } from './rail.ts';

export interface Script {
  /** The status of the rail's record from the first submission on. */
  readonly status: 'paid' | 'rejected' | 'pending';
  readonly code?: string;
  /** The rail writes its record and drops the connection before the answer: the outcome is unknown until an inquiry. */
  readonly breaksOff?: true;
  /** The rail pays, and confirms a wrong amount, currency or payee. */
  readonly confirmsWrong?: 'amount' | 'currency' | 'payee';
  /** The instruction is lost on its way: unknown, and not found on inquiry. */
  readonly isLost?: true;
  /** Found as one account when it is resolved, and as another when it is paid. */
  readonly isRepointed?: true;
  /** Registered with these providers. */
  readonly providers?: readonly string[];
  /** The part of a paid amount that the rail returns. */
  readonly returned?: (amount: bigint) => bigint;
}

const PAYS: Script = { status: 'paid' };

const SCRIPTS: ReadonlyMap<string, Script> = new Map<string, Script>([
  ['PENDING', { status: 'pending' }],
  ['NOALIAS', { status: 'rejected', code: railCodeOf('alias_unregistered') }],
  ['CLOSED', { status: 'rejected', code: railCodeOf('payee_account_closed') }],
  ['BLOCKED', { status: 'rejected', code: railCodeOf('payee_account_blocked') }],
  ['LIMIT', { status: 'rejected', code: railCodeOf('amount_exceeds_rail_limit') }],
  ['MISMATCH', { status: 'rejected', code: railCodeOf('payee_name_mismatch') }],
  ['BANKDOWN', { status: 'rejected', code: railCodeOf('payee_bank_unavailable') }],
  ['TIMEOUT', { status: 'paid', breaksOff: true }],
  ['TIMEOUTFAIL', { status: 'rejected', code: railCodeOf('payee_bank_unavailable'), breaksOff: true }],
  ['RETURN', { status: 'paid', returned: (amount) => amount }],
  // Half of one minor unit rounds to zero, and a return of zero is impossible.
  ['RETURNHALF', { status: 'paid', returned: (amount) => (amount > 1n ? amount / 2n : amount) }],
  ['WRONGAMOUNT', { status: 'paid', confirmsWrong: 'amount' }],
  ['WRONGCURRENCY', { status: 'paid', confirmsWrong: 'currency' }],
  ['WRONGPAYEE', { status: 'paid', confirmsWrong: 'payee' }],
  ['REPOINTED', { status: 'paid', isRepointed: true }],
  ['PROVIDERS', { status: 'paid', providers: ['BANKA', 'BANKB'] }],
]);

/** Every alias with a script. */
export const MAGIC_ALIASES: readonly string[] = [...SCRIPTS.keys()];

/** The script of an alias. An alias that is not listed pays at once. */
export function scriptOf(alias: string): Script {
  return SCRIPTS.get(alias) ?? PAYS;
}

/** The phone of each magic alias, by its place in the list: `+962700000001` is `PENDING`. */
const PHONES: ReadonlyMap<string, string> = new Map(
  MAGIC_ALIASES.map((alias, at) => [`+9627000000${String(at + 1).padStart(2, '0')}`, alias]),
);

/** Longest first: no word may be hidden by one that it ends with. */
const IBAN_ENDS = MAGIC_ALIASES.toSorted((one, other) => other.length - one.length);

/** The scripts of test numbers (acquirers/test-cards.ts), as the sandbox acquirer keeps them. Any other pays. */
const CARD_SCRIPTS: ReadonlyMap<string, Script> = new Map<string, Script>([
  ['generic_decline', { status: 'rejected', code: railCodeOf('refused_by_payee') }],
  ['stolen_card', { status: 'rejected', code: railCodeOf('payee_account_blocked') }],
  ['expired_card', { status: 'rejected', code: railCodeOf('payee_account_closed') }],
  ['unanswered', scriptOf('TIMEOUT')],
  ['lost', { status: 'pending', isLost: true }],
  ['refund_fails', scriptOf('RETURN')],
]);

/** The script of a destination: each type has its own magic values. `cardScript`: of a card, as its acquirer keeps it. */
export function scriptFor(destination: InstructedDestination, cardScript?: string): Script {
  switch (destination.type) {
    case 'cliq':
      return scriptOf(destination.alias);
    case 'iban':
      return scriptOf((destination.iban.startsWith('JO') && wordAtEnd(destination.iban)) || destination.iban);
    case 'wallet':
      return scriptOf(destination.walletId ?? PHONES.get(destination.phone!) ?? destination.phone!);
    case 'card':
      return CARD_SCRIPTS.get(cardScript ?? '') ?? PAYS;
  }
}

function wordAtEnd(iban: string): string | undefined {
  return IBAN_ENDS.find((word) => iban.endsWith(word));
}

/** The verification of the name of an IBAN: `CLOSE` and `OTHER` are magic, as aliases are. */
export function verificationOf(name: string): 'match' | 'close_match' | 'no_match' {
  if (name === 'CLOSE') return 'close_match';
  return name === 'OTHER' ? 'no_match' : 'match';
}
