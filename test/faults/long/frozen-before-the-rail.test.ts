/** SIGSTOP: a worker that hangs, is replaced by others, and resumes where it stopped. */
import { afterEach, expect, test } from 'vitest';
import { describeOnEachBackend } from '../../support/product.ts';
import { type Stage, startStage } from '../stage.ts';

interface Submitted {
  status: string;
  submissions: number | null;
}

const SUBMITTED = `
  SELECT p.status, i.submissions FROM payouts p
  LEFT JOIN sandbox_rail.instructions i ON i.originator = p.book_id::text AND i.end_to_end_id = p.end_to_end_id
  WHERE p.id = ANY ($1)`;

describeOnEachBackend('a worker that hangs', (backend) => {
  let stage: Stage | undefined;
  afterEach(() => stage?.close());

  test('just before it calls the rail, and resumes after another has inquired and sent: the money leaves once', async () => {
    stage = await startStage({
      backend,
      workers: {
        frozen: { pools: ['rails'], failpoints: 'rail.submit.before=stop@30' },
        others: { pools: ['ledger', 'webhooks', 'sweeper'] },
      },
    });
    const load = await stage.load();
    const frozen = stage.worker('frozen');
    await frozen.reached('rail.submit.before');
    // Payouts reserved but not yet at the rail, among them the one that the frozen worker is about to send.
    const waiting = await stage.query<{ id: string }>(`
        SELECT p.id FROM payouts p WHERE p.status = 'processing' AND p.rail = 'sandbox' AND NOT EXISTS (
          SELECT FROM sandbox_rail.instructions i WHERE i.originator = p.book_id::text AND i.end_to_end_id = p.end_to_end_id)`);
    expect(waiting.length).toBeGreaterThan(0);

    await stage.addWorker('second', { pools: ['rails'] });
    const submitted = (isWanted: (rows: Submitted[]) => boolean) =>
      stage!.untilMoved(SUBMITTED, [waiting.map(({ id }) => id)], isWanted);
    await submitted((rows) => rows.every(({ status }) => status !== 'processing'));
    frozen.thaw();
    // The frozen worker sends it all the same. The rail knows the id and does not pay again.
    await submitted((rows) => rows.some(({ submissions }) => submissions! > 1));
    await load.untilAccepted(300);
    await stage.settleAndCheck(load);
  });
});
