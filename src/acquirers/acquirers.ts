/** The acquirers of this process: one for each mode. */
import { type Clock, systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { createPool } from '../db/pool.ts';
import type { Logger } from '../log.ts';
import type { Party } from '../outside/party.ts';
import type { Acquirer } from './acquirer.ts';
import { SandboxAcquirer } from './sandbox-acquirer.ts';

export interface Acquirers {
  readonly sandbox: SandboxAcquirer;
  /** Throws for an unknown name. */
  get(name: string): Acquirer;
  /** The acquirer that takes the payments of books of this mode; undefined where none is configured. */
  ofMode(mode: Party['mode']): Acquirer | undefined;
  all(): readonly Acquirer[];
  close(): Promise<void>;
}

/** Authorizations and inquiries are batched; what follows an authorization is a statement of its own. */
const SANDBOX_CONNECTIONS = 4;

export function createAcquirers(
  config: Pick<Config, 'DATABASE_URL'>,
  log: Logger,
  options: { publicUrl: string; clock?: Clock; beforeSubmit?: () => Promise<void> },
): Acquirers {
  const pool = createPool({
    url: config.DATABASE_URL,
    name: 'countinghouse-sandbox-acquirer',
    size: SANDBOX_CONNECTIONS,
    log,
    queryTimeoutMs: 10_000,
  });
  const { clock = systemClock, publicUrl, beforeSubmit } = options;
  const sandbox = new SandboxAcquirer({ pool, clock, publicUrl, beforeSubmit });
  const acquirers = new Map<string, Acquirer>([[sandbox.name, sandbox]]);
  return {
    sandbox,
    get(name) {
      const acquirer = acquirers.get(name);
      if (!acquirer) throw new Error(`There is no acquirer named ${name}`);
      return acquirer;
    },
    ofMode: (mode) => [...acquirers.values()].find((acquirer) => acquirer.mode === mode),
    all: () => [...acquirers.values()],
    close: () => pool.end(),
  };
}
