export const SANDBOX_ACQUIRER = 'sandbox_acquirer';

/** Names of the acquirers that a process with this environment has, for commands that call none of them. */
export function acquirerNames({ ACQUIRER_HTTP_NAME: gateway }: NodeJS.ProcessEnv): readonly string[] {
  return gateway ? [gateway, SANDBOX_ACQUIRER] : [SANDBOX_ACQUIRER];
}
