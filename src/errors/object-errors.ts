/** Objects, their states and their versions. */
import { define } from './definition.ts';

export const OBJECT_ERRORS = define({
  resource_not_found: {
    status: 404,
    retryable: false,
    title: 'There is no such object in this book',
    help: 'Check the id, and that the key belongs to the same organisation and mode.',
  },
  state_conflict: {
    status: 409,
    retryable: false,
    retryDepends: true,
    title: 'The object is in a state that does not allow this',
    help: '`current_status` and `allowed_actions` say what is possible now. With `retryable: true` what is in the way ends by itself: send the same request again, under the same key.',
  },
  expectation_failed: {
    status: 409,
    retryable: false,
    title: 'An account is not as you expect it',
    help: 'Read the account that `param` points to, and decide anew.',
  },
  reader_busy: {
    status: 409,
    retryable: true,
    title: 'The reader has an action in progress',
    help: 'Cancel the action in `reader_action`, or wait until it has ended.',
  },
  account_not_empty: {
    status: 409,
    retryable: false,
    title: 'The account still holds something',
    help: 'Settle what `blocked_by` lists, then close the account.',
  },
  version_mismatch: {
    status: 412,
    retryable: false,
    title: 'The object has changed since you read it',
    help: 'Read it again and decide on its new state; send its `version` as If-Match.',
  },
});
