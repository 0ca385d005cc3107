/** Clocks jump: a machine's time is set, forward or back, while it works. The clock of a process is moved, not the system's. */
import { type Play, pause, type Scenario } from './scenario.ts';

const HOUR_MS = 3_600_000;

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
];
