/**
 * The magic aliases of the sandbox (API.md §7), and what the rail does with each. A destination decides, never an amount:
 * amounts stay free for tests of amounts.
 */
import { railCodeOf } from './failure-codes.ts';

export interface Script {
  /** What the rail's own record says from the first submission on. */
  readonly status: 'paid' | 'rejected' | 'pending';
  readonly code?: string;
  /** The record is made, and the connection breaks off before the answer: unknown, until somebody asks. */
  readonly breaksOff?: true;
  /** It pays, and confirms another amount, currency or payee than it was given. */
  readonly saysWrong?: 'amount' | 'currency' | 'payee';
  /** What comes back of the amount once it was paid. */
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
  // Half of one minor unit is nothing, and nothing cannot come back.
  ['RETURNHALF', { status: 'paid', returned: (amount) => (amount > 1n ? amount / 2n : amount) }],
  ['WRONGAMOUNT', { status: 'paid', saysWrong: 'amount' }],
  ['WRONGCURRENCY', { status: 'paid', saysWrong: 'currency' }],
  ['WRONGPAYEE', { status: 'paid', saysWrong: 'payee' }],
]);

/** Any other alias pays at once. */
export function scriptOf(alias: string): Script {
  return SCRIPTS.get(alias) ?? PAYS;
}
