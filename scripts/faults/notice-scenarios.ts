/**
 * A rail sends notices that cannot be booked. They delay no other work, and each becomes an exception when its time is
 * over.
 */

import { FAULT_PATIENCE_MS } from '../harness/until.ts';
import { countInbox, moveNoticesBack, reportUnknownReturns } from './rail-records-store.ts';
import { expectThat, type Play, pause, type Scenario, untilThat } from './scenario.ts';

/** More than one page of them (docs/decisions/rail-inbox.md). */
const UNBOOKABLE = 5_200;
const KILLS = 3;
/** Attempts go on for 30 days (take-notices.ts). */
const OVER_DAYS = 31;

async function expectReturnInTime({ stage, random }: Play): Promise<void> {
  const client = stage.clients[0]!;
  const { id } = await client.pay({
    account: stage.accounts[0]!.id,
    amount: random.between(1_000, 9_000),
    destination: { type: 'cliq', alias: 'RETURN' },
  });
  stage.accepted.add(id);
  await client.payoutUntil(id, 'returned', { timeoutMs: FAULT_PATIENCE_MS });
}

export const noticeScenarios: readonly Scenario[] = [
  {
    name: 'unbookable-notices',
    about: `${UNBOOKABLE} notices of one book about payouts that are not there, and kill -9 of who books: another book's returns are booked in time`,
    async play(play) {
      const { stage, load, random, afterwards } = play;
      const { behind, keys, workers } = stage;
      const bookId = keys.liveBookId;
      const before = await countInbox(behind, bookId);
      await reportUnknownReturns(behind, bookId, UNBOOKABLE);
      for (let round = 0; round < KILLS; round++) {
        await pause(random.between(50, 1_500));
        const victim = random.pick(workers);
        await victim.kill();
        await expectReturnInTime(play);
        await victim.start();
      }
      await untilThat('a copy of each', async () => {
        const { copied } = await countInbox(behind, bookId);
        return copied - before.copied === UNBOOKABLE;
      });
      await expectReturnInTime(play);
      const { exceptions } = await countInbox(behind, bookId);
      expectThat(exceptions === before.exceptions, 'A notice became an exception before its time was over');
      await moveNoticesBack(behind, bookId, OVER_DAYS);
      await load.untilMore(20);
      afterwards(async () => {
        const after = await countInbox(behind, bookId);
        const raised = after.exceptions - before.exceptions;
        return [
          ...(raised === UNBOOKABLE ? [] : [`${UNBOOKABLE} notices could not be booked, and ${raised} are exceptions`]),
          ...(after.entries === before.entries ? [] : ['something was booked for a payout that is not there']),
        ];
      });
    },
  },
];
