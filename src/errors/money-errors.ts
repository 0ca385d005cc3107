/** Why money does not move. */
import { define } from './definition.ts';

export const MONEY_ERRORS = define({
  insufficient_funds: {
    status: 422,
    retryable: false,
    title: 'The account has too little available',
    help: 'Fund the account or lower the amount, then send the request again under a new Idempotency-Key.',
  },
  account_frozen: {
    status: 422,
    retryable: false,
    title: 'The account is frozen',
    help: 'Unfreeze the account, then send the request again under a new Idempotency-Key.',
  },
  account_closed: {
    status: 422,
    retryable: false,
    title: 'The account is closed',
    help: 'Use an open account.',
  },
  limit_exceeded: {
    status: 422,
    retryable: false,
    title: 'A limit would be exceeded',
    help: '`detail` says which limit, and `limit` how much it is. Where the operator raises it, send the request again under a new Idempotency-Key.',
  },
  currency_mismatch: {
    status: 422,
    retryable: false,
    title: 'The account is kept in another currency',
    help: 'Use an account of the same currency.',
  },
  amount_below_minimum: {
    status: 422,
    retryable: false,
    title: 'The amount is below the minimum',
    help: 'Send at least the amount in `limit`.',
  },
  amount_above_maximum: {
    status: 422,
    retryable: false,
    title: 'The amount is above the maximum',
    help: 'Send at most the amount in `limit`.',
  },
  destination_invalid: {
    status: 422,
    retryable: false,
    title: 'The destination cannot be paid',
    help: 'Correct the destination that `param` points to.',
  },
  rail_unavailable: {
    status: 422,
    retryable: false,
    title: 'No rail carries this destination',
    help: 'Use another destination type, or ask the operator to configure a rail for live mode.',
  },
  acquirer_unavailable: {
    status: 422,
    retryable: false,
    title: 'No acquirer takes this payment',
    help: 'Use a test key, or ask the operator to configure an acquirer for live mode.',
  },
  token_invalid: {
    status: 422,
    retryable: false,
    title: 'The token pays nothing any more',
    help: 'A one-time token is used up by its first payment. Make another from the card, or keep one for a customer.',
  },
  capture_exceeds_authorized: {
    status: 422,
    retryable: false,
    title: 'More would be captured than is authorized',
    help: 'Capture at most what `capturable` says, or increment the authorization first.',
  },
  refund_exceeds_captured: {
    status: 422,
    retryable: false,
    title: 'More would be refunded than was captured',
    help: 'Refund at most what `refundable` says: refunds under way and disputes count against it.',
  },
  authorization_expired: {
    status: 422,
    retryable: false,
    title: 'The authorization has expired',
    help: 'Create a new payment.',
  },
});
