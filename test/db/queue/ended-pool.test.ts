/** A queue that is closed while a job is in hand leaves the process alive: its timers fire. */
import { expect, test } from 'vitest';
import { startPool } from '../../../src/queue/pool.ts';
import { createQueues } from '../../../src/queue/queues.ts';
import { eventually } from '../../support/eventually.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { Answered, silent } from './queue-contract.ts';

test('closed under a job in hand, the queues on Postgres leave the process to others', async () => {
  const database = await createTestDatabase();
  const queues = createQueues({ DATABASE_URL: database.applicationUrl, QUEUE_LANES: 1 }, silent);
  const answered = new Answered();
  startPool(answered.pool, { queues, log: silent });
  await queues.add('ledger', 0, [{ name: 'payout.reserve', data: { bookId: 'b', ids: ['a'] } }], { limitMs: 10_000 });
  await eventually(() => expect(answered.ids).toEqual(['a']));
  const closed = queues.close();
  let turns = 0;
  const timer = setInterval(() => turns++, 10);
  await eventually(() => expect(turns).toBeGreaterThan(10));
  clearInterval(timer);
  await closed;
  await database.drop();
});
