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
  file_invalid: {
    status: 422,
    retryable: false,
    title: 'The file is not what it should be',
    help: '`place` and `findings` name the lines. Nothing of it is kept: ask the bank for the whole file, and send it under a new Idempotency-Key.',
  },
  profile_needed: {
    status: 422,
    retryable: false,
    title: 'Nothing in the file says how it is to be read',
    help: 'Send it with `profile` and `bank_account`. `candidates` has the profiles that fit; one without an id is saved with `POST /v1/transactions/profiles` first.',
  },
  bank_account_unknown: {
    status: 422,
    retryable: false,
    title: 'There is no such bank account',
    help: 'Name a bank account of the book: `GET /v1/transactions/bank_accounts` lists them.',
  },
  account_not_postable: {
    status: 422,
    retryable: false,
    title: 'No entry may be asked for on this account',
    help: "An entry joins customers' accounts with each other, or accounts of your own chart with each other. Accounts of the system are moved by payouts, payments and cards alone.",
  },
  period_closed: {
    status: 422,
    retryable: false,
    title: 'The day is closed',
    help: 'Send it with an `effective_on` from `first_open_day` on, or have the period reopened.',
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
  card_not_active: {
    status: 422,
    retryable: false,
    title: 'The card is not active',
    help: 'Activate or unfreeze the card, or name another one, and send a new request.',
  },
  alias_not_found: {
    status: 422,
    retryable: false,
    title: 'Nobody is registered there',
    help: 'Ask the payee for their alias, wallet or account, and send a new request.',
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
  processor_unavailable: {
    status: 422,
    retryable: false,
    title: 'No processor makes this card',
    help: 'Use a test key, or ask the operator to configure a processor for live mode.',
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
