/** The service itself. */
import { define } from './definition.ts';

export const SYSTEM_ERRORS = define({
  internal_error: {
    status: 500,
    retryable: true,
    title: 'Something went wrong on our side',
    help: 'Send the same request again under the same Idempotency-Key, and tell us the request id if it persists.',
  },
  service_unavailable: {
    status: 503,
    retryable: true,
    title: 'The service cannot take this now',
    help: 'Send the same request again under the same Idempotency-Key after Retry-After seconds.',
  },
});
