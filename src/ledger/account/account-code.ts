/** Which account of a book an account is: one of the chart (chart.ts), a customer's, or one that an organisation added. */
export type ChartCode =
  /** This book's share of the money at banks. */
  | 'pool'
  /** Captured card money that the acquirer has not paid yet. */
  | 'acquirer'
  /** Payouts reserved for a rail or sent to it, not yet confirmed. */
  | 'payouts_in_transit'
  /** Refunds on their way back to payers. */
  | 'refunds_in_transit'
  /** Captured for the merchant, not yet released. */
  | 'merchant_pending'
  /** Card clearings that the scheme has not settled yet. */
  | 'scheme_settlement'
  /** Fees earned by the operator, not yet collected. */
  | 'due_operator'
  /** The open position of currency exchanges. */
  | 'fx_position'
  | OperatorCode;

/** Of the operator's books alone: the money at banks, and what explains it (docs/decisions/bank-statements.md). */
export type OperatorCode =
  /** Money at a bank: one a bank account. */
  | 'bank'
  /** What rails and processors move at banks, and no bank has shown yet: one a party. */
  | 'rail_clearing'
  /** What acquirers pay by their reports, net, and no bank has shown yet: one a party. */
  | 'acquirer_clearing'
  /** Reported by acquirers, gross, and not booked in the books that it is of: one a party. */
  | 'acquirer_suspense'
  /** What acquirers kept for themselves: one a party. */
  | 'acquiring_costs'
  /** The pools of all books, as far as they are mirrored. */
  | 'pool_owed'
  /** Fees collected of all books, without their tax. */
  | 'fees'
  /** The tax that collected fees contain. */
  | 'tax_payable'
  /** Booked credits of bank statements that nothing has explained yet. */
  | 'unallocated'
  /** Booked debits of bank statements that nothing has explained yet. */
  | 'suspense'
  /** The operator's own money. */
  | 'own_funds'
  /** What rails cost. */
  | 'rail_costs'
  /** What banks charge. */
  | 'bank_charges'
  /** What lines and items differ by, where nothing explains it. */
  | 'differences'
  /** What banks pay for money at them. */
  | 'interest'
  /** Differences that no party pays or gives back, and the operator bears. */
  | 'credit_losses';

export type AccountCode =
  | ChartCode
  | 'customer'
  /** Of the organisation's own chart; its code, name and type are in a row of their own (journal/accounts). */
  | 'own';
