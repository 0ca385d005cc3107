/** Steps of holds: each happened in the moment of an event that tells of it, and is of a kind that can stand in its place. */
import { formatInstant } from '../clock.ts';
import { publicId, type Uuid } from '../ids.ts';
import type { Check, CheckContext } from './check.ts';
import { type OddStep, readOddSteps } from './hold-step-store.ts';

const PAGE = 1_000;

export const holdStepCheck: Check = {
  name: 'steps of holds',
  async run(context) {
    let after: Uuid | undefined;
    do {
      const { last, odd } = await readOddSteps(context.pool, context.book.id, { after, limit: PAGE });
      after = last;
      for (const step of odd) reportOddStep(context, step);
    } while (after !== undefined);
  },
};

export function reportOddStep({ report }: CheckContext, step: OddStep): void {
  const { holdId, ordinal, kind, createdAt, told, possible } = step;
  const ids = { hold: publicId('hold', holdId), step: `${ordinal}` };
  if (!told) {
    report({
      check: 'hold.told',
      ids,
      expected: 'the moment of an event',
      actual: formatInstant(createdAt),
      detail: 'No event tells of the step in the moment that it has.',
    });
  }
  if (!possible) {
    report({
      check: 'hold.kind',
      ids,
      expected: 'steps from 1 without a gap, which capture until the last',
      actual: `${kind} as step ${ordinal}`,
      detail: 'The step cannot stand in its place.',
    });
  }
}
