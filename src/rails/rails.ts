/** The rails of this process, each behind the shares of books in its calls. Which of them carries a destination: payouts/destinations/destinations.ts. */

import type { Config } from '../config.ts';
import { createPool } from '../db/pool.ts';
import { CallShares } from '../outside/call-shares.ts';
import type { Logger } from '../process/log.ts';
import { type Clock, systemClock } from '../values/clock.ts';
import { SANDBOX_CONNECTIONS, SandboxRail } from './sandbox-rail.ts';
import { type SharedRail, SharedSandboxRail } from './shared-rail.ts';

export interface Rails {
  readonly sandbox: SharedSandboxRail;
  /** Throws for an unknown name. `book` is not a rail: such money stays within the book. */
  get(name: string): SharedRail;
  all(): readonly SharedRail[];
  close(): Promise<void>;
}

export interface RailOptions {
  readonly clock?: Clock;
  /** Those of the process. */
  readonly shares?: CallShares;
  readonly beforeSubmit?: () => Promise<void>;
}

export function createRails(
  config: Pick<Config, 'DATABASE_URL'>,
  log: Logger,
  { clock = systemClock, shares = new CallShares(), beforeSubmit }: RailOptions = {},
): Rails {
  const pool = createPool({
    url: config.DATABASE_URL,
    name: 'countinghouse-sandbox-rail',
    size: SANDBOX_CONNECTIONS,
    log,
    queryTimeoutMs: 10_000,
  });
  const sandbox = new SharedSandboxRail(new SandboxRail({ pool, clock, beforeSubmit }), shares);
  const rails = new Map<string, SharedRail>([[sandbox.name, sandbox]]);
  return {
    sandbox,
    get(name) {
      const rail = rails.get(name);
      if (!rail) throw new Error(`There is no rail named ${name}`);
      return rail;
    },
    all: () => [...rails.values()],
    close: () => pool.end(),
  };
}
