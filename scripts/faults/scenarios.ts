/** All scenarios, in families that share a stage, and the selection of a quick run. */

import { createRandom } from '../harness/random.ts';
import { backlogScenarios } from './backlog-scenarios.ts';
import { bankScenarios } from './bank-scenarios.ts';
import { batchScenarios } from './batch-scenarios.ts';
import { clockScenarios } from './clock-scenarios.ts';
import { decisionScenarios } from './decision-scenarios.ts';
import { diskScenarios } from './disk-scenarios.ts';
import { freezeScenarios } from './freeze-scenarios.ts';
import { keyScenarios } from './key-scenarios.ts';
import { killApiScenarios, killAtRandomTimes, killSharedScenarios, killWorkerScenarios } from './kill-scenarios.ts';
import { mirrorScenarios } from './mirror-scenarios.ts';
import { networkScenarios } from './network-scenarios.ts';
import { noticeScenarios } from './notice-scenarios.ts';
import { paymentScenarios } from './payment-scenarios.ts';
import { postgresScenarios } from './postgres-scenarios.ts';
import { processorScenarios } from './processor-scenarios.ts';
import { queueScenarios } from './queue-scenarios.ts';
import { railScenarios } from './rail-scenarios.ts';
import { reportScenarios } from './report-scenarios.ts';
import type { Scenario } from './scenario.ts';
import { sharedScenarios } from './shared-scenarios.ts';
import type { Backend } from './stage.ts';
import { upgradeScenarios } from './upgrade-scenarios.ts';
import { webhookScenarios } from './webhook-scenarios.ts';

export const FAMILIES: readonly (readonly Scenario[])[] = [
  killApiScenarios,
  [...killWorkerScenarios, ...backlogScenarios, killAtRandomTimes],
  freezeScenarios,
  [...killSharedScenarios, ...sharedScenarios],
  queueScenarios,
  [...postgresScenarios, ...diskScenarios],
  networkScenarios,
  clockScenarios,
  [...railScenarios, ...noticeScenarios, ...keyScenarios],
  batchScenarios,
  bankScenarios,
  mirrorScenarios,
  reportScenarios,
  paymentScenarios,
  [...decisionScenarios, ...processorScenarios],
  webhookScenarios,
  upgradeScenarios,
];

export const SCENARIOS: readonly Scenario[] = FAMILIES.flat();

/** Scenarios that share a stage when the order is drawn. */
const PIECE = 6;

/** All scenarios in an order that the seed draws, so that runs without time for all play others each time. */
export function drawnScenarios(seed: number, backend: Backend): Scenario[][] {
  const random = createRandom(seed, backend, 'drawn');
  const pieces = FAMILIES.flatMap((family) => {
    const drawn = random.shuffled(family);
    return Array.from({ length: Math.ceil(drawn.length / PIECE) }, (_, at) =>
      drawn.slice(at * PIECE, (at + 1) * PIECE),
    );
  });
  return random.shuffled(pieces);
}

const KILLS: Record<Backend, readonly Scenario[]> = { redis: killWorkerScenarios, postgres: killApiScenarios };
const OTHER: Record<Backend, Backend> = { redis: 'postgres', postgres: 'redis' };

/**
 * The cheapest scenarios that reveal most. The seed chooses the point at which a process is killed: an API on one queue
 * backend, a worker on the other.
 */
export function quickScenarios(seed: number, backend: Backend): Scenario[] {
  const killed = KILLS[seed % 2 === 0 ? backend : OTHER[backend]];
  return [createRandom(seed, backend, 'quick').pick(killed), ...SCENARIOS.filter(({ quick }) => quick)];
}
