/** Idempotency keys: one key, one answer. */
import { define } from './definition.ts';

export const IDEMPOTENCY_ERRORS = define({
  idempotency_key_missing: {
    status: 400,
    retryable: false,
    title: 'The Idempotency-Key header is missing',
    help: 'Send a new key (a UUID will do) with every new request that moves money, and the same key when you repeat it.',
  },
  idempotency_key_invalid: {
    status: 400,
    retryable: false,
    title: 'The Idempotency-Key header is not valid',
    help: 'Use 1 to 255 visible ASCII characters.',
  },
  idempotency_in_progress: {
    status: 409,
    retryable: true,
    title: 'A request with this Idempotency-Key is still in progress',
    help: 'Wait for Retry-After seconds and send the same request again under the same key.',
  },
  idempotency_key_reused: {
    status: 422,
    retryable: false,
    title: 'This Idempotency-Key was used for another request',
    help: 'Use a new key for a new request; `resource` names what the key stands for.',
  },
  idempotency_key_voided: {
    status: 422,
    retryable: false,
    title: 'This Idempotency-Key was voided',
    help: 'Nothing was done and nothing will be done under it. Use a new key.',
  },
});
