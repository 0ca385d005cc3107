export const SANDBOX_ACQUIRER = 'sandbox_acquirer';

/** Names of the acquirers that this installation has, for commands that call none of them. */
export function acquirerNames(): readonly string[] {
  return [SANDBOX_ACQUIRER];
}
