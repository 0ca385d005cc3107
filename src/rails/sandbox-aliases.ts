/**
 * The magic aliases of the sandbox (API.md §7) and the outcome of each. The destination decides the outcome, never the
 * amount: amounts stay free for tests of amounts.
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
  readonly saysWrong?: 'amount' | 'currency' | 'payee';
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
  ['WRONGAMOUNT', { status: 'paid', saysWrong: 'amount' }],
  ['WRONGCURRENCY', { status: 'paid', saysWrong: 'currency' }],
  ['WRONGPAYEE', { status: 'paid', saysWrong: 'payee' }],
]);

/** Every alias with a script. What each does stands in the reference, at the field. */
export const MAGIC_ALIASES: readonly string[] = [...SCRIPTS.keys()];

/** The script of an alias. An alias that is not listed pays at once. */
export function scriptOf(alias: string): Script {
  return SCRIPTS.get(alias) ?? PAYS;
}

/** The script of a destination: each type has its own magic values. */
export function scriptFor(destination: InstructedDestination): Script {
  switch (destination.type) {
    case 'cliq':
      return scriptOf(destination.alias);
  }
}
