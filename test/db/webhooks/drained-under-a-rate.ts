/** 300 events to an endpoint with a rate, over processes that stop. */
import { expect } from 'vitest';
import type { Uuid } from '../../../src/values/ids.ts';
import type { Deliverer } from '../../../src/webhooks/sending/deliver-webhook.ts';
import { eventually } from '../../support/eventually.ts';
import type { Stage } from './stage.ts';

/** Sequences of the events in these bodies. */
export const numbers = (bodies: readonly { body: string }[]) =>
  bodies.map(({ body }) => (JSON.parse(body) as { sequence: number }).sequence);

/** Hands deliverers what commits enqueued since the last call, as the queue does. */
export function queueOf(stage: Stage, ...to: Deliverer[]) {
  let handed = stage.world.enqueued.length;
  return () => {
    for (const { bookId, job, id } of stage.world.enqueued.slice(handed)) {
      const deliverer = to[handed++ % to.length]!;
      if (job === 'endpoint.replay') void deliverer.replay(bookId, [id]);
      else deliverer.take(bookId, [id]);
    }
  };
}

async function dueOf(stage: Stage, endpointId: Uuid): Promise<string[]> {
  const { rows } = await stage.world.pool.query<{ id: string }>(
    `SELECT event_sequence || ':' || endpoint_id AS id FROM webhook_deliveries
     WHERE endpoint_id = $1 AND status = 'pending' AND due_at IS NOT NULL`,
    [endpointId],
  );
  return rows.map((row) => row.id);
}

/** When each request arrived, in milliseconds of the monotonic clock: at least the 300, some perhaps twice. */
export async function arrivalsUnder(stage: Stage, ratePerSecond: number): Promise<number[]> {
  const at: number[] = [];
  const hooks = await stage.receiver((response) => {
    at.push(performance.now());
    response.writeHead(200).end();
  });
  const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url, events: ['payout.*'], ratePerSecond });
  const one = stage.deliverer();
  const other = stage.deliverer();
  const hand = queueOf(stage, one, other);
  for (let round = 0; round < 30; round++) {
    await stage.world.emit(stage.bookId, 'payout.paid', 10);
    hand();
  }
  const restarted = stage.deliverer();
  await hooks.arrivals(100);
  // The process that drains it stops, and another goes on.
  await Promise.all([one.close(), other.close()]);
  await eventually(async () => {
    restarted.drain(stage.bookId, [id]);
    // What the stopped processes had in memory falls due, and the sweeper enqueues it.
    restarted.take(stage.bookId, await dueOf(stage, id));
    expect(new Set(numbers(hooks.received)).size).toBe(300);
  });
  return at;
}
