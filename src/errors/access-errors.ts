/** Who may ask, and how often. */
import { define } from './definition.ts';

export const ACCESS_ERRORS = define({
  api_key_missing: {
    status: 401,
    retryable: false,
    title: 'No API key was sent',
    help: 'Send `Authorization: Bearer sk_test_…`.',
  },
  api_key_invalid: {
    status: 401,
    retryable: false,
    title: 'The API key is not valid',
    help: 'Check that the key is complete and has not been revoked.',
  },
  api_key_expired: {
    status: 401,
    retryable: false,
    title: 'The API key has expired',
    help: 'Create a new key, or roll this one.',
  },
  permission_denied: {
    status: 403,
    retryable: false,
    title: 'The API key lacks the scope that this needs',
    help: 'Use a key that has the scope named in `required_scope`, or a key of a person where the detail asks for one.',
  },
  self_approval_forbidden: {
    status: 422,
    retryable: false,
    title: 'Nobody approves what they did themselves',
    help: 'Let another person approve, with a key of their own.',
  },
  test_mode_only: {
    status: 403,
    retryable: false,
    title: 'This exists in test mode only',
    help: 'Use a test key (`sk_test_…`).',
  },
  card_data_disabled: {
    status: 403,
    retryable: false,
    title: 'Card numbers are not taken here',
    help: "Use a checkout page, or a token of the acquirer's own. The operator decides whether the API takes card numbers.",
  },
  signature_invalid: {
    status: 403,
    retryable: false,
    title: 'The signature of the message is not valid',
    help: 'Sign the message as Standard Webhooks says, with a secret that is shared with this installation, and send it within five minutes.',
  },
  ip_not_allowed: {
    status: 403,
    retryable: false,
    title: 'The API key may not be used from this address',
    help: "Call from an address on the key's IP allow list.",
  },
  rate_limited: {
    status: 429,
    retryable: true,
    title: 'Too many requests',
    help: 'Wait for Retry-After seconds. `detail` says what there is too much of: requests a second (RateLimit says how many are left), requests or bytes at a time, or wrong keys from your address.',
  },
});
