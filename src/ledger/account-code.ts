/** Which account of a book an account is: one of the chart (chart.ts), or a customer's. */
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
  | 'fx_position';

export type AccountCode = ChartCode | 'customer';
