/** The processors of this process, each behind its limits of calls by book: the sandbox, and a partner's gateway where one is configured. */
import type { Config } from '../config.ts';
import { createPool, type Pool } from '../db/pool.ts';
import type { SecretBox } from '../db/secret-box.ts';
import { CallLimits } from '../outside/calls/call-limits.ts';
import type { Partner } from '../outside/party/partner.ts';
import type { Party } from '../outside/party/party.ts';
import type { Logger } from '../process/log.ts';
import { type Clock, systemClock } from '../values/clock.ts';
import { HttpProcessor } from './http/http-processor.ts';
import { SANDBOX_CONNECTIONS, SandboxProcessor } from './sandbox-processor.ts';
import { SharedProcessor } from './shared-processor.ts';

export interface Processors {
  readonly sandbox: SharedProcessor;
  /** Throws for an unknown name. */
  get(name: string): SharedProcessor;
  /** The processor that makes the cards of books of this mode; undefined where none is configured. */
  ofMode(mode: Party['mode']): SharedProcessor | undefined;
  all(): readonly SharedProcessor[];
  /** Those that send their notices by HTTP. */
  partners(): readonly Partner[];
  close(): Promise<void>;
}

type ProcessorConfig = Pick<Config, 'DATABASE_URL'> & Partial<Pick<Config, GatewaySetting>>;
type GatewaySetting = 'PROCESSOR_HTTP_NAME' | 'PROCESSOR_HTTP_URL' | 'PROCESSOR_HTTP_SECRETS' | 'PROCESSOR_HTTP_MODE';

/** Above the time limit of statements, a setting of the role: 15 s. */
const QUERY_TIMEOUT_MS = 20_000;

export function createProcessors(
  config: ProcessorConfig,
  log: Logger,
  /**
   * `secretBox`: for the numbers of the sandbox. `ownPool`: the application's, for partners' notices. `limits`: those
   * of the process.
   */
  options: {
    secretBox: SecretBox;
    ownPool?: Pool;
    clock?: Clock;
    limits?: CallLimits;
    beforeSubmit?: () => Promise<void>;
  },
): Processors {
  const pool = createPool({
    url: config.DATABASE_URL,
    name: 'countinghouse-sandbox-processor',
    size: SANDBOX_CONNECTIONS,
    log,
    queryTimeoutMs: QUERY_TIMEOUT_MS,
  });
  const { secretBox, clock = systemClock, ownPool = pool, limits = new CallLimits(), beforeSubmit } = options;
  const sandbox = new SharedProcessor(new SandboxProcessor({ pool, clock, secretBox, beforeSubmit }), limits);
  const gateway = gatewayOf(config, { pool: ownPool, clock });
  // What is configured comes before the sandbox, also where it is tried in test mode.
  const ordered = gateway ? [new SharedProcessor(gateway, limits), sandbox] : [sandbox];
  const processors = new Map(ordered.map((processor) => [processor.name, processor]));
  return {
    sandbox,
    get(name) {
      const processor = processors.get(name);
      if (!processor) throw new Error(`There is no processor named ${name}`);
      return processor;
    },
    ofMode: (mode) => ordered.find((processor) => processor.mode === mode),
    all: () => ordered,
    partners: () => (gateway ? [gateway] : []),
    async close() {
      await gateway?.close();
      await pool.end();
    },
  };
}

function gatewayOf(config: ProcessorConfig, { pool, clock }: { pool: Pool; clock: Clock }): HttpProcessor | undefined {
  const { PROCESSOR_HTTP_NAME: name, PROCESSOR_HTTP_URL: url, PROCESSOR_HTTP_SECRETS: secrets = [] } = config;
  if (name === undefined || url === undefined) return undefined;
  const { PROCESSOR_HTTP_MODE: mode = 'live' } = config;
  return new HttpProcessor({ name, url, secrets, mode, pool, clock });
}
