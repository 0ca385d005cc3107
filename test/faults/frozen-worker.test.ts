/** SIGSTOP: a worker that hangs in its transaction. Before it calls the rail: long/frozen-before-the-rail.test.ts. */
import { afterEach, test } from 'vitest';
import { describeOnOneBackend } from '../support/product.ts';
import { type Stage, startStage } from './stage.ts';

describeOnOneBackend('a worker that hangs', (backend) => {
  let stage: Stage | undefined;
  afterEach(() => stage?.close());

  test('inside its database transaction releases the book within seconds, and nothing of that transaction is kept', async () => {
    stage = await startStage({
      backend,
      workers: {
        frozen: { pools: ['ledger', 'rails'], failpoints: 'ledger.commit.before=stop@10' },
        others: { pools: ['ledger', 'rails', 'webhooks', 'sweeper'] },
      },
    });
    const load = await stage.load();
    const frozen = stage.worker('frozen');
    await frozen.reached('ledger.commit.before');
    await load.untilAccepted(load.payouts().length + 200);
    frozen.thaw();
    await stage.settleAndCheck(load);
    await frozen.terminate();
  });
});
