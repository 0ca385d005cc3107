/** Webhook endpoints. */
import { define } from './definition.ts';

export const WEBHOOK_ERRORS = define({
  webhook_url_forbidden: {
    status: 422,
    retryable: false,
    title: 'Webhooks may not be sent to this URL',
    help: 'Use a public https address on one of the ports that `detail` names; in test mode, the operator can allow a local one with WEBHOOK_ALLOW_HOSTS.',
  },
});
