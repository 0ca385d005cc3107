/** The rails of this process. Which of them carries a destination: payouts/destinations.ts. */
import { type Clock, systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { createPool } from '../db/pool.ts';
import type { Logger } from '../log.ts';
import type { Rail } from './rail.ts';
import { SandboxRail } from './sandbox-rail.ts';

export interface Rails {
  readonly sandbox: SandboxRail;
  /** Throws for an unknown name. `book` is not a rail: such money stays within the book. */
  get(name: string): Rail;
  all(): readonly Rail[];
  close(): Promise<void>;
}

/** One for submissions and one for inquiries. The rail batches its calls, so more connections would not help. */
const SANDBOX_CONNECTIONS = 2;

export function createRails(
  config: Pick<Config, 'DATABASE_URL'>,
  log: Logger,
  options: { clock?: Clock; beforeSubmit?: () => Promise<void> } = {},
): Rails {
  const pool = createPool({
    url: config.DATABASE_URL,
    name: 'countinghouse-sandbox-rail',
    size: SANDBOX_CONNECTIONS,
    log,
    queryTimeoutMs: 10_000,
  });
  const sandbox = new SandboxRail({ pool, clock: options.clock ?? systemClock, beforeSubmit: options.beforeSubmit });
  const rails = new Map<string, Rail>([[sandbox.name, sandbox]]);
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
