/** Notes the uses of keys and records them later, in one statement for many keys: no request waits for the write. */

import type { Pool } from '../db/pool.ts';
import type { Logger } from '../process/log.ts';
import { BoundedMap } from '../values/bounded-map.ts';
import { type ApiKeyUse, recordApiKeyUses } from './api-key-store.ts';

/** A minute is exact enough to recognise an unused key. */
const RESOLUTION_MS = 60_000;
const MAX_KEYS = 10_000;

export interface ApiKeyUses {
  note(use: ApiKeyUse): void;
  /** Writes the noted uses. Never throws: a use that cannot be written is noted again at the key's next use. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export function createApiKeyUses(options: { pool: Pool; log?: Logger; flushAfterMs: number }): ApiKeyUses {
  const { pool, log, flushAfterMs } = options;
  const noted = new BoundedMap<string, number>(MAX_KEYS);
  let pending: ApiKeyUse[] = [];
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const uses = pending;
    pending = [];
    if (uses.length === 0) return;
    try {
      await recordApiKeyUses(pool, uses, RESOLUTION_MS);
    } catch (error) {
      log?.warn({ err: error }, 'last use of API keys not recorded');
      for (const { id } of uses) noted.delete(id);
    }
  }

  return {
    note(use) {
      const last = noted.get(use.id);
      if (last !== undefined && use.at - last < RESOLUTION_MS && use.at >= last) return;
      noted.set(use.id, use.at);
      pending.push(use);
      timer ??= setTimeout(flush, flushAfterMs).unref();
    },
    flush,
    close: flush,
  };
}
