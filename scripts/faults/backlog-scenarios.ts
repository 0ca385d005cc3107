/** Kills the process that drains an endpoint that is behind: every delivery arrives, and no row is forgotten. */
import type { Failpoint } from '../../src/process/failpoints.ts';
import { parsePublicId } from '../../src/values/ids.ts';
import { countPending, hurryDeliveries, makeRowsDue } from '../harness/database-store.ts';
import { expectThat, pause, type Scenario, untilThat } from './scenario.ts';
import { ALL_POOLS } from './stage.ts';

/** Enough deliveries that a drain to a slow receiver takes a while. */
const WAITING = 40;
const ANSWER_MS = 50;

function killedWhileDraining(name: string, about: string, point?: Failpoint): Scenario {
  return {
    name,
    about,
    ...(point && { diesAt: point }),
    async play({ stage, load, random }) {
      const { receiver, clients, endpoints, behind, workers } = stage;
      const path = `/${name}`;
      receiver.answer(path, () => ({ status: 503 }));
      const endpoint = await receiver.subscribe(clients[0]!, { path });
      endpoints.add(endpoint);
      const id = parsePublicId('webhookEndpoint', endpoint.id)!;
      await untilThat('an endpoint that is behind', async () => {
        const { pending, behind: isBehind } = await countPending(behind, id);
        return isBehind && pending >= WAITING;
      });
      const [victim, other] = workers;
      const recover = () =>
        receiver.answer(path, async () => {
          await pause(ANSWER_MS);
          return { status: 200 };
        });
      if (point) {
        // Either worker may drain the endpoint, so both get the failpoint. The endpoint stays behind until both are up.
        await Promise.all(
          [victim, other].map(async (worker) => {
            await worker.kill();
            await worker.start({ failpoints: `${point}=kill`, pools: ALL_POOLS });
          }),
        );
        recover();
        let makeDueAt = 0;
        await untilThat('the point at which a process was to die', async () => {
          if (performance.now() > makeDueAt) {
            makeDueAt = performance.now() + 500;
            await makeRowsDue(behind);
            await hurryDeliveries(behind);
          }
          return !victim.running || !other.running;
        });
        for (const worker of [victim, other]) {
          if (worker.running) await worker.kill();
          else
            expectThat(worker.output.includes(`failpoint ${point}: SIGKILL`), `It died elsewhere:\n${worker.output}`);
          await worker.start({ pools: ALL_POOLS });
        }
      } else {
        recover();
        for (let round = 0; round < 4; round++) {
          await pause(random.between(50, 600));
          const worker = random.pick([victim, other]);
          await worker.kill();
          await worker.start();
        }
      }
      await load.untilMore(10);
    },
  };
}

export const backlogScenarios: readonly Scenario[] = [
  killedWhileDraining('killed-while-draining', 'kill -9 of who drains an endpoint that was behind, at any time'),
  killedWhileDraining(
    'killed-before-catching-up',
    'the same when all was read and new deliveries still join what waits',
    'backlog.catch-up.before',
  ),
  killedWhileDraining(
    'killed-after-catching-up',
    'the same when new deliveries are due by themselves, and the last that joined were not looked for',
    'backlog.catch-up.after',
  ),
];
