/** The acquirers of this process: the sandbox, and a partner's gateway where one is configured. */
import { type Clock, systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { createPool, type Pool } from '../db/pool.ts';
import type { Logger } from '../log.ts';
import type { Partner } from '../outside/partner.ts';
import type { Party } from '../outside/party.ts';
import type { Acquirer } from './acquirer.ts';
import { HttpAcquirer } from './http/http-acquirer.ts';
import { SandboxAcquirer } from './sandbox-acquirer.ts';

export interface Acquirers {
  readonly sandbox: SandboxAcquirer;
  /** Throws for an unknown name. */
  get(name: string): Acquirer;
  /** The acquirer that takes the payments of books of this mode; undefined where none is configured. */
  ofMode(mode: Party['mode']): Acquirer | undefined;
  all(): readonly Acquirer[];
  /** Those that send their notices by HTTP. */
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

/** Cards, authorizations and inquiries are batched; what follows an authorization is a statement of its own. */
const SANDBOX_CONNECTIONS = 4;

export function createAcquirers(
  config: AcquirerConfig,
  log: Logger,
  /** `ownPool`: the application's, for what partners told. */
  options: { publicUrl: string; ownPool?: Pool; clock?: Clock; beforeSubmit?: () => Promise<void> },
): Acquirers {
  const pool = createPool({
    url: config.DATABASE_URL,
    name: 'countinghouse-sandbox-acquirer',
    size: SANDBOX_CONNECTIONS,
    log,
    queryTimeoutMs: 10_000,
  });
  const { clock = systemClock, publicUrl, ownPool = pool, beforeSubmit } = options;
  const sandbox = new SandboxAcquirer({ pool, clock, publicUrl, beforeSubmit });
  const gateway = gatewayOf(config, { pool: ownPool, clock });
  // What is configured comes before the sandbox, also where it is tried in test mode.
  const ordered: readonly Acquirer[] = gateway ? [gateway, sandbox] : [sandbox];
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
