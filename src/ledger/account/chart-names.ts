/** What accounts are in a balance sheet, and how people call those of the system. */
import type { AccountCode, ChartCode } from './account-code.ts';

export const ACCOUNT_TYPES = ['asset', 'liability', 'equity', 'income', 'expense'] as const;
export type AccountType = (typeof ACCOUNT_TYPES)[number];

export type Origin = 'system' | 'customer' | 'own';

export function originOf(code: AccountCode): Origin {
  return code === 'own' || code === 'customer' ? code : 'system';
}

export const SYSTEM_ACCOUNTS: Readonly<Record<ChartCode, { readonly name: string; readonly type: AccountType }>> = {
  pool: { name: 'Money at banks', type: 'asset' },
  acquirer: { name: 'Due from acquirers', type: 'asset' },
  payouts_in_transit: { name: 'Payouts in transit', type: 'liability' },
  refunds_in_transit: { name: 'Refunds in transit', type: 'liability' },
  merchant_pending: { name: 'Captured, not yet released', type: 'liability' },
  scheme_settlement: { name: 'Due to card schemes', type: 'liability' },
  due_operator: { name: 'Fees due to the operator', type: 'liability' },
  fx_position: { name: 'Position of currency exchanges', type: 'asset' },
  bank: { name: 'Bank account', type: 'asset' },
  rail_clearing: { name: 'On its way through rails', type: 'liability' },
  acquirer_clearing: { name: 'Reported by acquirers, not yet paid', type: 'asset' },
  acquirer_suspense: { name: 'Reported by acquirers, not yet booked', type: 'liability' },
  acquiring_costs: { name: 'Costs of acquirers', type: 'expense' },
  pool_owed: { name: 'Owed to all books', type: 'liability' },
  fees: { name: 'Fees collected', type: 'income' },
  tax_payable: { name: 'Tax on fees', type: 'liability' },
  unallocated: { name: 'Received, not yet allocated', type: 'liability' },
  suspense: { name: 'Paid out, not yet explained', type: 'asset' },
  own_funds: { name: "The operator's own funds", type: 'equity' },
  rail_costs: { name: 'Costs of rails', type: 'expense' },
  bank_charges: { name: 'Charges of banks', type: 'expense' },
  differences: { name: 'Differences to banks', type: 'expense' },
  interest: { name: 'Interest of banks', type: 'income' },
  credit_losses: { name: 'Credit losses', type: 'expense' },
};
