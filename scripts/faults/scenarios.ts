/** Every scenario there is, in families that share a stage; and those that a quick run plays. */
import { keyScenarios } from './key-scenarios.ts';
import { killApiScenarios, killAtRandomTimes, killWorkerScenarios } from './kill-scenarios.ts';
import { queueScenarios } from './queue-scenarios.ts';
import { createRandom } from './random.ts';
import type { Scenario } from './scenario.ts';
import type { Backend } from './stage.ts';

export const FAMILIES: readonly (readonly Scenario[])[] = [
  killApiScenarios,
  [...killWorkerScenarios, killAtRandomTimes],
  queueScenarios,
  keyScenarios,
];

export const SCENARIOS: readonly Scenario[] = FAMILIES.flat();

/** The cheapest that reveal most. The seed chooses at which points of all the API and a worker are killed. */
export function quickScenarios(seed: number, backend: Backend): Scenario[] {
  const random = createRandom(seed, backend, 'quick');
  const killed = [random.pick(killApiScenarios), random.pick(killWorkerScenarios)];
  return [...killed, ...SCENARIOS.filter(({ quick }) => quick)];
}
