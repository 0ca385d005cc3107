/** The rails of this process, and which of them carries what. */
import { type Clock, systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { createPool } from '../db/pool.ts';
import type { Logger } from '../log.ts';
import type { Rail } from './rail.ts';
import { SandboxRail } from './sandbox-rail.ts';

export interface Rails {
  readonly sandbox: SandboxRail;
  /** Throws for a name that no rail has. `book` is no rail: nothing leaves. */
  get(name: string): Rail;
  all(): readonly Rail[];
  railFor(mode: 'test' | 'live', destinationType: string): string | undefined;
  close(): Promise<void>;
}

/** One connection adds while the other asks; gathering makes more of them useless. */
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
    railFor,
    close: () => pool.end(),
  };
}

/** Undefined where money cannot leave that way: live mode has no rail yet. Within a book nothing leaves, in any mode. */
export function railFor(mode: 'test' | 'live', destinationType: string): string | undefined {
  if (destinationType === 'account') return 'book';
  return mode === 'test' && destinationType === 'cliq' ? 'sandbox' : undefined;
}
