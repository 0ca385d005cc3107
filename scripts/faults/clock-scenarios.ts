/**
 * Clocks jump: a machine's time is set forward or back while it works. Only the clock of a process moves, not the
 * system's.
 */
import { untilEnded } from './kill-scenarios.ts';
import { type Play, pause, type Scenario } from './scenario.ts';
import { ALL_POOLS } from './stage.ts';

const HOUR_MS = 3_600_000;
/** Longer than the interval at which each worker looks for the jobs of dead workers (src/queue/queues.ts). */
const LOOKED_FOR_SILENT_MS = 7_000;

async function jump({ stage, load }: Play, aheadMs: { api?: number; worker?: number }): Promise<void> {
  if (aheadMs.api !== undefined) stage.apis[0]!.setClockAhead(aheadMs.api);
  if (aheadMs.worker !== undefined) stage.workers[0].setClockAhead(aheadMs.worker);
  await Promise.all([load.untilMore(40), pause(2_500)]);
}

export const clockScenarios: readonly Scenario[] = [
  {
    name: 'clock-of-a-worker-jumps-ahead',
    about: 'the clock of one worker is an hour ahead of everybody, and then right again',
    async play(play) {
      await jump(play, { worker: HOUR_MS });
      await jump(play, { worker: 0 });
    },
  },
  {
    name: 'clock-of-a-worker-jumps-back',
    about: 'the clock of one worker is ten minutes behind everybody, and then right again',
    async play(play) {
      await jump(play, { worker: -HOUR_MS / 6 });
      await jump(play, { worker: 0 });
    },
  },
  {
    name: 'clocks-jump-about',
    about: 'the clocks of one API and one worker jump by up to ten minutes, forward and back, six times',
    async play(play) {
      const { random } = play;
      const some = () => random.between(-HOUR_MS / 6, HOUR_MS / 6);
      for (let round = 0; round < 6; round++) await jump(play, { api: some(), worker: some() });
    },
  },
  {
    name: 'killed-after-a-clock-was-ahead',
    about:
      "kill -9 of a worker with a rail's notices in hand, after another was an hour ahead: on Postgres nobody looks for its jobs for an hour",
    async play({ stage, load }) {
      const [victim, other] = stage.workers;
      other.setClockAhead(HOUR_MS);
      await Promise.all([load.untilMore(40), pause(LOOKED_FOR_SILENT_MS)]);
      other.setClockAhead(0);
      await victim.kill();
      await victim.start({ pools: ['rails'], failpoints: 'rail.acknowledge.before=kill' });
      await untilEnded(stage, victim);
      await Promise.all([load.untilMore(20), victim.start({ pools: ALL_POOLS })]);
    },
  },
];
