/**
 * The acquirers of this process, each with its limit of calls: the sandbox, and a partner's gateway where one is
 * configured.
 */

import type { Config } from '../config.ts';
import { createPool, type Pool } from '../db/pool.ts';
import { CallLimits } from '../outside/calls/call-limits.ts';
import type { Partner } from '../outside/party/partner.ts';
import type { Party } from '../outside/party/party.ts';
import type { Logger } from '../process/log.ts';
import { type Clock, systemClock } from '../values/clock.ts';
import { HttpAcquirer } from './http/http-acquirer.ts';
import { SANDBOX_CONNECTIONS, SandboxAcquirer } from './sandbox-acquirer.ts';
import { SharedAcquirer, SharedSandboxAcquirer } from './shared-acquirer.ts';

export type { SandboxChallenge } from './sandbox-challenge-store.ts';

export interface Acquirers {
  readonly sandbox: SharedSandboxAcquirer;
  /** Throws for an unknown name. */
  get(name: string): SharedAcquirer;
  /** The acquirer that takes the payments of books of this mode; undefined where none is configured. */
  ofMode(mode: Party['mode']): SharedAcquirer | undefined;
  all(): readonly SharedAcquirer[];
  /** Those that send notices by HTTP. */
  partners(): readonly Partner[];
  close(): Promise<void>;
}

type AcquirerConfig = Pick<Config, 'DATABASE_URL'> & Partial<Pick<Config, GatewaySetting>>;
type GatewaySetting =
  | 'ACQUIRER_HTTP_NAME'
  | 'ACQUIRER_HTTP_URL'
  | 'ACQUIRER_HTTP_SECRETS'
  | 'ACQUIRER_HTTP_MODE'
  | 'ACQUIRER_HTTP_CARD_DATA';

/** Above the time limit of statements, a setting of the role: 15 s. */
const QUERY_TIMEOUT_MS = 20_000;

export function createAcquirers(
  config: AcquirerConfig,
  log: Logger,
  /** `ownPool`: the application's, for notices of partners. `limits`: the limits of the process. */
  options: {
    publicUrl: string;
    ownPool?: Pool;
    clock?: Clock;
    limits?: CallLimits;
    beforeSubmit?: () => Promise<void>;
  },
): Acquirers {
  const pool = createPool({
    url: config.DATABASE_URL,
    name: 'countinghouse-sandbox-acquirer',
    size: SANDBOX_CONNECTIONS,
    log,
    queryTimeoutMs: QUERY_TIMEOUT_MS,
  });
  const { clock = systemClock, publicUrl, ownPool = pool, limits = new CallLimits(), beforeSubmit } = options;
  const sandbox = new SharedSandboxAcquirer(new SandboxAcquirer({ pool, clock, publicUrl, beforeSubmit }), limits);
  const gateway = gatewayOf(config, { pool: ownPool, clock });
  // The configured acquirer comes before the sandbox, also in test mode.
  const ordered = gateway ? [new SharedAcquirer(gateway, limits), sandbox] : [sandbox];
  const acquirers = new Map(ordered.map((acquirer) => [acquirer.name, acquirer]));
  return {
    sandbox,
    get(name) {
      const acquirer = acquirers.get(name);
      if (!acquirer) throw new Error(`There is no acquirer named ${name}`);
      return acquirer;
    },
    ofMode: (mode) => ordered.find((acquirer) => acquirer.mode === mode),
    all: () => ordered,
    partners: () => (gateway ? [gateway] : []),
    async close() {
      await gateway?.close();
      await pool.end();
    },
  };
}

function gatewayOf(config: AcquirerConfig, { pool, clock }: { pool: Pool; clock: Clock }): HttpAcquirer | undefined {
  const { ACQUIRER_HTTP_NAME: name, ACQUIRER_HTTP_URL: url, ACQUIRER_HTTP_SECRETS: secrets = [] } = config;
  if (name === undefined || url === undefined) return undefined;
  const { ACQUIRER_HTTP_MODE: mode = 'live', ACQUIRER_HTTP_CARD_DATA: takesCards = false } = config;
  return new HttpAcquirer({ name, url, secrets, mode, takesCards, pool, clock });
}
