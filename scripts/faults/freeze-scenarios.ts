/** SIGSTOP: a machine hangs, the others replace it, and it continues where it was. */
import { arrivedTwice, leftToSubmit, makeRowsDue, stillProcessing } from '../harness/database-store.ts';
import { pathOf } from '../harness/receiver.ts';
import { expectThat, type Play, pause, type Scenario, untilThat } from './scenario.ts';
import { ALL_POOLS, type Stage } from './stage.ts';

/** Longer than a job's lock lasts (src/queue/queues.ts). */
const BEYOND_JOB_LOCK_MS = 18_000;
const MAKE_DUE_EVERY_MS = 500;
const HOUR_MS = 3_600_000;

/** Polls until `isSo`, and makes rows due meanwhile. */
function untilMoved({ behind }: Stage, what: string, isSo: () => Promise<boolean>): Promise<void> {
  let makeDueAt = 0;
  return untilThat(what, async () => {
    if (performance.now() > makeDueAt) {
      makeDueAt = performance.now() + MAKE_DUE_EVERY_MS;
      await makeRowsDue(behind);
    }
    return isSo();
  });
}

async function freezeBeforeTheRail({ stage, load, random }: Play, aheadMs: number): Promise<void> {
  const [frozen, other] = stage.workers;
  await frozen.kill();
  const failpoints = `rail.submit.before=stop@${random.between(1, 30)}`;
  await frozen.start({ pools: ['rails'], failpoints });
  await frozen.reached('rail.submit.before');
  other.setClockAhead(aheadMs);
  const waiting = await leftToSubmit(stage.behind);
  expectThat(waiting.length > 0, 'No payout waits for the rail');
  await untilMoved(stage, 'others move what it left', async () => !(await stillProcessing(stage.behind, waiting)));
  frozen.thaw();
  await untilMoved(stage, 'it sends what it was about to send', () => arrivedTwice(stage.behind, waiting));
  other.setClockAhead(0);
  await load.untilMore(20);
  await frozen.kill();
  await frozen.start({ pools: ALL_POOLS });
}

export const freezeScenarios: readonly Scenario[] = [
  {
    name: 'frozen-before-the-rail',
    about:
      'SIGSTOP just before the rail is called; others ask, are told "not found", and send; then SIGCONT: sent again, paid once',
    play: (play) => freezeBeforeTheRail(play, 0),
  },
  {
    name: 'frozen-before-the-rail-and-a-clock-ahead',
    about:
      'the same, and the clock of whoever asks is an hour ahead: "not found" is final by the clock of the rail, not by ours',
    play: (play) => freezeBeforeTheRail(play, HOUR_MS),
  },
  {
    name: 'frozen-before-a-webhook',
    about: 'SIGSTOP just before a webhook is sent; another sends it; then SIGCONT: it arrives again under the same id',
    async play({ stage, load, random }) {
      const [frozen] = stage.workers;
      await frozen.kill();
      await frozen.start({
        pools: ['webhooks'],
        failpoints: `webhook.post.before=stop@${random.between(1, 30)}`,
      });
      await frozen.reached('webhook.post.before');
      await load.untilMore(40);
      frozen.thaw();
      await load.untilMore(20);
      const arrived = stage.receiver.at(pathOf(stage.endpoint)).length;
      expectThat(arrived > 0, 'No webhook arrived');
    },
  },
  {
    name: 'frozen-in-its-transaction',
    about:
      'SIGSTOP of a worker with the lock of the book: idle_in_transaction_session_timeout frees it, nothing of it remains',
    async play({ stage, load, random }) {
      const [frozen] = stage.workers;
      await frozen.kill();
      await frozen.start({ failpoints: `ledger.commit.before=stop@${random.between(1, 20)}` });
      await frozen.reached('ledger.commit.before');
      await load.untilMore(40);
      frozen.thaw();
      await load.untilMore(20);
    },
  },
  {
    name: 'api-frozen-in-its-transaction',
    about: 'the same with an API: whoever asked it asks another under the same key',
    async play({ stage, load, random }) {
      const frozen = stage.apis[0]!;
      await frozen.kill();
      await frozen.start({ failpoints: `ledger.commit.before=stop@${random.between(1, 20)}` });
      await frozen.reached('ledger.commit.before');
      await pause(8_000);
      frozen.thaw();
      await load.untilMore(40);
    },
  },
  {
    name: 'frozen-beyond-the-job-lock',
    about: 'SIGSTOP of a worker in mid-work for longer than its jobs are its own, then SIGCONT',
    async play({ stage, load, random }) {
      const [frozen] = stage.workers;
      await pause(random.between(0, 500));
      frozen.freeze();
      await Promise.all([load.untilMore(100), pause(BEYOND_JOB_LOCK_MS)]);
      frozen.thaw();
      await load.untilMore(20);
    },
  },
];
