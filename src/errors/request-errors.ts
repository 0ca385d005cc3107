/** The form of a request: what is refused before anything is looked up. */
import { define } from './definition.ts';

export const REQUEST_ERRORS = define({
  malformed_json: {
    status: 400,
    retryable: false,
    title: 'The body is not valid JSON',
    help: 'Send one JSON object in UTF-8; `detail` says where reading stopped.',
  },
  parameter_missing: {
    status: 400,
    retryable: false,
    title: 'A required parameter is missing',
    help: 'Add the parameter that `param` points to.',
  },
  parameter_invalid: {
    status: 400,
    retryable: false,
    title: 'A parameter has a value that is not accepted',
    help: 'Correct the parameter that `param` points to; `detail` says what is expected.',
  },
  parameter_unknown: {
    status: 400,
    retryable: false,
    title: 'A parameter is not known here',
    help: 'Remove the parameter that `param` points to, or correct its spelling.',
  },
  amount_not_integer: {
    status: 400,
    retryable: false,
    title: 'An amount is not a whole number of minor units',
    help: "Send a JSON integer in the currency's smallest unit: 5.124 JOD is 5124.",
  },
  currency_unsupported: {
    status: 400,
    retryable: false,
    title: 'The currency is not supported',
    help: 'Send an active ISO 4217 code in capitals, such as JOD.',
  },
  cursor_invalid: {
    status: 400,
    retryable: false,
    title: 'The cursor is not valid',
    help: 'Use an id from this list, or the `next_cursor` of the page before.',
  },
  card_number_not_allowed: {
    status: 400,
    retryable: false,
    title: 'A card number is not allowed here',
    help: 'Remove the card number from the text, URL, metadata or Idempotency-Key that `param` points to; refer to a card by its id or token. A reference of your own that looks like one is taken with a letter or an underscore directly before it, such as `inv_`. At a `number` of test mode: take one of the published test numbers.',
  },
  route_not_found: {
    status: 404,
    retryable: false,
    title: 'There is no such route',
    help: 'See /openapi.json for every route.',
  },
  method_not_allowed: {
    status: 405,
    retryable: false,
    title: 'This route does not know this method',
    help: 'Use one of the methods in the Allow header.',
  },
  payload_too_large: {
    status: 413,
    retryable: false,
    title: 'The body is too large',
    help: 'Stay within the limit that `limit` names (see GET /v1/limits).',
  },
  unsupported_media_type: {
    status: 415,
    retryable: false,
    title: 'The body is not JSON',
    help: 'Send `Content-Type: application/json`.',
  },
});
