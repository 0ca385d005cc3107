/**
 * Maps the rejection codes of rails to the API's failure codes. Rails use the external status reason codes of ISO 20022
 * (ExternalStatusReason1Code, published quarterly at iso20022.org). The API shows its own code and the rail's code
 * beside it.
 */

export const RAIL_FAILURE_CODES = [
  'payee_account_closed',
  'payee_account_blocked',
  'payee_account_invalid',
  'payee_changed',
  'alias_unregistered',
  'payee_name_mismatch',
  'payee_bank_unavailable',
  'amount_exceeds_rail_limit',
  'rail_suspended',
  'refused_by_payee',
  'compliance_rejected',
] as const;

export type RailFailureCode = (typeof RAIL_FAILURE_CODES)[number];

/** The account found is not the one that was resolved. Of our contract (docs/partners.md): ISO 20022 has no code for it. */
export const PAYEE_CHANGED = 'PCHG';

/** Codes of rejections and of returns (ExternalReturnReason1Code), which are the same where both lists have one. */
const MEANINGS: Readonly<Record<string, RailFailureCode>> = {
  AB01: 'payee_bank_unavailable', // aborted: clearing timeout
  AB02: 'payee_bank_unavailable', // aborted: fatal error in clearing
  AB03: 'payee_bank_unavailable', // aborted: settlement timeout
  AB04: 'payee_bank_unavailable', // aborted: fatal error in settlement
  AB05: 'payee_bank_unavailable', // timeout at the creditor's agent
  AB06: 'payee_bank_unavailable', // timeout at the instructed agent
  AB07: 'payee_bank_unavailable', // an agent is offline
  AB08: 'payee_bank_unavailable', // the creditor's agent is offline
  AB09: 'payee_bank_unavailable', // error at the creditor's agent
  AB10: 'payee_bank_unavailable', // error at the instructed agent
  AC01: 'payee_account_invalid', // account number invalid or missing
  AC02: 'rail_suspended', // debtor's account number invalid: the operator's own
  AC03: 'payee_account_invalid', // creditor's account number invalid or missing
  AC04: 'payee_account_closed', // account closed
  AC05: 'rail_suspended', // the debtor's account is closed: the operator's own
  AC06: 'payee_account_blocked', // account blocked
  AC07: 'payee_account_closed', // creditor's account closed
  AC13: 'rail_suspended', // debtor's account type invalid: the operator's own
  AC14: 'payee_account_invalid', // creditor's account type invalid
  AC15: 'payee_account_invalid', // the account's details have changed
  AG01: 'payee_account_invalid', // transactions forbidden on this account
  AG10: 'rail_suspended', // agent suspended by the clearing system
  AG11: 'rail_suspended', // creditor's agent suspended by the clearing system
  AM02: 'amount_exceeds_rail_limit', // amount above the allowed maximum
  AM04: 'rail_suspended', // insufficient funds on the operator's own account
  AM10: 'rail_suspended', // the control sum of the operator's file is wrong
  AM13: 'amount_exceeds_rail_limit', // amount above the clearing system's limit
  AM14: 'amount_exceeds_rail_limit', // amount above the limit agreed with the client
  BE01: 'payee_name_mismatch', // the name does not match the account
  BE05: 'rail_suspended', // the party that initiates payments, the operator, is not recognised
  BE06: 'payee_account_invalid', // the creditor is unknown at its bank, or exists there no more
  BE23: 'alias_unregistered', // the account proxy is unknown
  CNOR: 'payee_bank_unavailable', // the creditor's bank is not registered in the clearing system
  DNOR: 'rail_suspended', // the debtor's bank is not registered in the clearing system
  ED05: 'payee_bank_unavailable', // settlement failed
  FF01: 'rail_suspended', // the format of the operator's file is invalid
  FRAD: 'compliance_rejected', // fraud
  LEGL: 'compliance_rejected', // legal decision
  MS02: 'refused_by_payee', // refused by the customer, no reason given
  MS03: 'refused_by_payee', // refused by the agent, no reason given
  RC01: 'payee_account_invalid', // bank identifier wrong
  RC03: 'rail_suspended', // the debtor's bank identifier is wrong: the operator's own
  RC04: 'payee_account_invalid', // creditor's bank identifier wrong
  RC07: 'payee_account_invalid', // creditor's BIC wrong
  RR01: 'compliance_rejected', // debtor's account or identification missing, for regulation
  RR02: 'compliance_rejected', // debtor's name or address missing, for regulation
  RR03: 'compliance_rejected', // creditor's name or address missing, for regulation
  RR04: 'compliance_rejected', // regulatory reason
  [PAYEE_CHANGED]: 'payee_changed',
  TM01: 'rail_suspended', // received after the latest acceptance time
};

/**
 * The failure code of a rejection. An unknown or missing rail code means `refused_by_payee`; the API shows the rail's
 * code too.
 */
export function failureCodeOf(railCode: string | null | undefined): RailFailureCode {
  return MEANINGS[railCode ?? ''] ?? 'refused_by_payee';
}

/** The rail has the instruction already: it does not report the outcome of the first. */
const DUPLICATES: readonly string[] = ['AM05', 'DUPL', 'DU01', 'DU02', 'DU03', 'DU04', 'DU05'];

/** Whether a rejection reports only that the rail knows the instruction: the outcome is unknown then, never a failure. */
export function isDuplicate(railCode: string | null | undefined): boolean {
  return DUPLICATES.includes(railCode ?? '');
}

/** The rail code that the simulations send for each failure code. */
const RAIL_CODES: Readonly<Record<RailFailureCode, string>> = {
  payee_account_closed: 'AC04',
  payee_account_blocked: 'AC06',
  payee_account_invalid: 'AC03',
  payee_changed: PAYEE_CHANGED,
  alias_unregistered: 'BE23',
  payee_name_mismatch: 'BE01',
  payee_bank_unavailable: 'AB08',
  amount_exceeds_rail_limit: 'AM02',
  rail_suspended: 'AG11',
  refused_by_payee: 'MS02',
  compliance_rejected: 'RR04',
};

/** The rail code of an API failure code. A rail code is returned unchanged. */
export function railCodeOf(code: string): string {
  return RAIL_CODES[code as RailFailureCode] ?? code;
}
