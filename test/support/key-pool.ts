/** A pool that counts what an authenticator asks, and can hold an answer back. */
import type pg from 'pg';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { createLogger } from '../../src/process/log.ts';
import { type Gate, gate } from './gate.ts';

export interface KeyPool {
  readonly pool: Pool;
  /** Lookups of keys that were sent. */
  lookUps(): number;
  /** Stamps that were read apart from lookups, and answered. */
  readings(): number;
  /** Holds the answer to the next lookup until the gate is open. `answered` resolves once Postgres has given it. */
  holdNext(): { gate: Gate; answered: Promise<void> };
}

export function openKeyPool(url: string): KeyPool {
  const pool = createPool({ url, name: 'keys', size: 3, log: createLogger('silent', 'test') });
  let [lookUps, readings] = [0, 0];
  let held: { gate: Gate; answered: Gate } | undefined;

  async function observe(name: string | undefined, answer: Promise<unknown>): Promise<unknown> {
    if (name === 'api_keys.by_hash') {
      lookUps += 1;
      const holding = held;
      held = undefined;
      const given = await answer;
      holding?.answered.open();
      await holding?.gate.promise;
      return given;
    }
    const given = await answer;
    if (name === 'installation.key_stamp') readings += 1;
    return given;
  }

  pool.on('connect', (client: pg.PoolClient) => {
    const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>;
    client.query = ((...given: unknown[]) => {
      const answer = query(...given);
      // The pool's own query takes a callback, and has no promise.
      if (typeof given.at(-1) === 'function') return answer;
      return observe((given[0] as { name?: string }).name, answer);
    }) as never;
  });
  return {
    pool,
    lookUps: () => lookUps,
    readings: () => readings,
    holdNext() {
      const holding = { gate: gate(), answered: gate() };
      held = holding;
      return { gate: holding.gate, answered: holding.answered.promise };
    },
  };
}
