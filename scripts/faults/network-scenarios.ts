/** Impairs the network between API or workers and Postgres or Redis: slow, torn, swallowed, or half open. */

import type { TcpProxy } from '../harness/tcp-proxy.ts';
import { expectThat, pause, type Scenario } from './scenario.ts';
import type { Network, Stage } from './stage.ts';

const SIDES = { api: 'the APIs', worker: 'the workers' } as const;
const TARGETS = { postgres: 'Postgres', redis: 'Redis' } as const;

/** Each heals its proxy, so that the next one finds a network that is whole. */
export const networkScenarios: readonly Scenario[] = (Object.keys(SIDES) as (keyof typeof SIDES)[]).flatMap((side) =>
  (Object.keys(TARGETS) as (keyof typeof TARGETS)[]).flatMap((target) =>
    between(side, target).map((scenario) => ({ ...scenario, together: true as const })),
  ),
);

function between(side: keyof typeof SIDES, target: keyof Network): Scenario[] {
  const [where, only] = [`between ${SIDES[side]} and ${TARGETS[target]}`, target === 'redis' ? target : undefined];
  const proxy = (stage: Stage): TcpProxy => stage.network[side][target]!;
  return [
    {
      name: `slow-${side}-${target}`,
      about: `40 to 90 ms more, each way, ${where}`,
      only,
      async play({ stage, load, random }) {
        proxy(stage).impair({ latencyMs: random.between(40, 90) });
        await load.untilMore(20);
        proxy(stage).heal();
      },
    },
    {
      name: `torn-${side}-${target}`,
      about: `every connection breaks in the middle of an answer, after a number of bytes, ${where}`,
      only,
      async play({ stage, load, random }) {
        for (let round = 0; round < 6; round++) {
          proxy(stage).impair({ cutAfterBytes: random.between(1, 20_000) });
          await pause(300);
        }
        proxy(stage).heal();
        await load.untilMore(20);
      },
    },
    {
      name: `swallowed-${side}-${target}`,
      about: `nothing passes for eight seconds ${where}; then everything that was sent arrives`,
      only,
      async play({ stage, load }) {
        proxy(stage).impair({ blackHole: true });
        await pause(8_000);
        proxy(stage).heal();
        await load.untilMore(20);
      },
    },
    {
      name: `half-open-${side}-${target}`,
      about: `one side ends and the other is not told ${where}: it gives up by itself`,
      only,
      async play({ stage, load }) {
        await load.untilMore(10);
        expectThat(proxy(stage).halfOpen() > 0, 'There was no connection');
        await load.untilMore(20);
      },
    },
  ];
}
