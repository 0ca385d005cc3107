export const SANDBOX_PROCESSOR = 'sandbox_processor';

/** Names of the processors that processes with this environment have, for commands that call none of them. */
export function processorNames({ PROCESSOR_HTTP_NAME: gateway }: NodeJS.ProcessEnv): readonly string[] {
  return gateway ? [gateway, SANDBOX_PROCESSOR] : [SANDBOX_PROCESSOR];
}
