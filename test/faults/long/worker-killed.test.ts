/** kill -9 between two commits: interrupted work is found again, and happens once. */
import { afterEach, expect, test } from 'vitest';
import { describeOnEachBackend } from '../../support/product.ts';
import { type Stage, startStage } from '../stage.ts';

describeOnEachBackend('a worker killed with -9', (backend) => {
  let stage: Stage | undefined;
  afterEach(() => stage?.close());

  test('between the rail and the commit asks the rail, and pays once', async () => {
    stage = await startStage({
      backend,
      workers: {
        rails: { pools: ['rails'], failpoints: 'rail.submit.after=kill@20' },
        others: { pools: ['ledger', 'webhooks', 'sweeper'] },
      },
    });
    const load = await stage.load();
    const worker = stage.worker('rails');
    await worker.ended();
    // The rail has paid, and the ledger does not know it.
    const [torn] = await stage.query<{ count: bigint }>(`
        SELECT count(*) FROM sandbox_rail.instructions i
        JOIN payouts p ON p.book_id::text = i.originator AND p.end_to_end_id = i.end_to_end_id
        WHERE i.status = 'paid' AND p.status = 'processing'`);
    expect(torn!.count).toBeGreaterThan(0n);
    await load.untilAccepted(200);
    await worker.start();
    await load.untilAccepted(250);
    await stage.settleAndCheck(load);
  });
});
