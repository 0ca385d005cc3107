/** The part of a process's runtime that is about cards and their transactions: the processors, and the endpoints that decide. */
import type { Config } from '../config.ts';
import type { Pool } from '../db/pool.ts';
import type { SecretBox } from '../db/secret-box.ts';
import type { CallLimits } from '../outside/calls/call-limits.ts';
import { AskedEndpoints, type AskedEndpointsOptions } from '../outside/questions/asked-endpoints.ts';
import type { Logger } from '../process/log.ts';
import { createProcessors, type Processors } from '../processors/processors.ts';
import type { Clock } from '../values/clock.ts';

export interface TransactionsRuntime {
  readonly processors: Processors;
  /** Those of integrators that are asked before something is decided. */
  readonly endpoints: AskedEndpoints;
}

export interface TransactionsParts extends Pick<AskedEndpointsOptions, 'count'> {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly pool: Pool;
  readonly secretBox: SecretBox;
  readonly limits: CallLimits;
}

export function createTransactionsRuntime({ config, pool, count, ...parts }: TransactionsParts): TransactionsRuntime {
  const { log, clock, secretBox, limits } = parts;
  return {
    processors: createProcessors(config, log, { clock, limits, secretBox, ownPool: pool }),
    endpoints: new AskedEndpoints({
      ...{ limits, secretBox, clock, log, count },
      ...{ allowHosts: config.WEBHOOK_ALLOW_HOSTS, dnsServers: config.WEBHOOK_DNS_SERVERS },
    }),
  };
}
