/** A delivery that one worker cannot send and another can, for example while the encryption key is replaced. */
import { expect, test } from 'vitest';
import { createRowFailed } from '../../../src/operations/row-failed.ts';
import { listStuck } from '../../../src/operations/stuck-store.ts';
import type { postEvent } from '../../../src/outside/connections/post-event.ts';
import { movedDeliveries } from '../../../src/webhooks/deliveries/moved-deliveries.ts';
import { setStage } from './stage.ts';
import { log } from './world.ts';

const stage = setStage();

test('a delivery marked as stuck by one worker and sent by another is delivered, and not stuck', async () => {
  const { world, bookId } = stage;
  const { pool, clock } = world;
  const { id } = await world.endpoint(bookId);
  const [delivery] = await world.emit(bookId, 'test.happened');
  const [arrived, arrive] = signal();
  const [answered, answer] = signal();
  const post: typeof postEvent = async () => {
    arrive();
    await answered;
    return { status: 200, error: null, retryAfter: undefined, response: null, isWhole: true };
  };
  const delivering = stage.deliverer({ post }).deliver(bookId, [delivery!]);
  await arrived;

  const without = stage.deliverer({
    secretBox: {
      ...world.secretBox,
      open: () => {
        throw new Error('No encryption key with id 0a0b is configured');
      },
    },
    rowFailed: createRowFailed({ pool, clock, log }),
  });
  await without.deliver(bookId, [delivery!]);
  expect(await listStuck(pool, [movedDeliveries], 10)).toHaveLength(1);

  answer();
  await delivering;
  const { rows } = await pool.query('SELECT status FROM webhook_deliveries WHERE endpoint_id = $1', [id]);
  expect(rows).toEqual([{ status: 'delivered' }]);
  expect(await listStuck(pool, [movedDeliveries], 10)).toEqual([]);
});

function signal(): [promise: Promise<void>, give: () => void] {
  let give!: () => void;
  const promise = new Promise<void>((resolve) => {
    give = resolve;
  });
  return [promise, give];
}
