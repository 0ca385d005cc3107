/**
 * Checks steps of holds: each belongs to a hold, has the time of an event about it, and is of a kind its place allows.
 */

import type { Check, CheckContext } from '../group/check-context.ts';
import { formatInstant } from '../values/clock.ts';
import { publicId, type Uuid } from '../values/ids.ts';
import { further } from '../values/progress.ts';
import { type OddStep, readOddSteps, readStepReferences, type StepReference } from './hold-step-store.ts';
import { readAhead } from './read-ahead.ts';

const PAGE = 1_000;

export const holdStepCheck: Check = {
  name: 'steps of holds',
  async run(context) {
    let after: Uuid | undefined;
    do {
      const { last, odd } = await readOddSteps(context.pool, context.book.id, { after, limit: PAGE });
      after = last && further('steps of holds', after, last);
      for (const step of odd) reportOddStep(context, step);
    } while (after !== undefined);
    await checkStepReferences(context);
  },
};

async function checkStepReferences(context: CheckContext): Promise<void> {
  const { pool, book } = context;
  const pages = readAhead<StepReference>((after) => readStepReferences(pool, book.id, { after, limit: PAGE }));
  for await (const steps of pages) for (const step of steps) checkStepReference(context, step);
}

export function checkStepReference({ report }: CheckContext, { holdId, ordinal, hasHold }: StepReference): void {
  if (hasHold) return;
  report({
    check: 'journal.orphan',
    ids: { table: 'hold_steps', hold: publicId('hold', holdId), step: `${ordinal}` },
    expected: 'a hold',
    actual: 'no hold',
    detail: 'The step is of a hold that does not exist.',
  });
}

export function reportOddStep({ report }: CheckContext, step: OddStep): void {
  const { holdId, ordinal, kind, createdAt, matched, possible } = step;
  const ids = { hold: publicId('hold', holdId), step: `${ordinal}` };
  if (!matched) {
    report({
      check: 'hold.event',
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
      expected: 'steps from 1 without a gap, which capture until the last, and increase what is left',
      actual: `${kind} as step ${ordinal}`,
      detail: 'The step cannot stand in its place.',
    });
  }
}
