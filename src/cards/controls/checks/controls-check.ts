/** Checks controls: what is in force of a card, an account or the program are the versions whose status it is. */
import type { CheckContext } from '../../../group/check-context.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { behindNewIds } from '../../../group/until.ts';
import type { Uuid } from '../../../values/ids.ts';
import { type InForceHistory, readInForceHistories, readInForceHistoriesById } from './controls-check-store.ts';

export const controlsCheck: RowCheck<InForceHistory, Uuid> = {
  name: 'card controls',
  pageRows: 100,
  read: ({ pool, book }, page) => readInForceHistories(pool, book.id, page),
  readByIds: ({ pool, book }, ids) => readInForceHistoriesById(pool, book.id, ids),
  check: checkInForce,
  placeOf: ({ subjectId }, until) => behindNewIds(subjectId, until),
};

function checkInForce({ report }: CheckContext, { subjectId, ofVersions, ...inForce }: InForceHistory): void {
  const ids = { subject: subjectId };
  for (const member of ['versions', 'active', 'shadow'] as const) {
    const [says, stands] = [ofVersions[member], inForce[member]];
    if (says === stands) continue;
    report({
      check: 'card_controls.in_force',
      ids,
      expected: `${member}: ${says ?? 'none'}`,
      actual: `${member}: ${stands ?? 'none'}`,
      detail: 'What is in force is not what the versions say.',
    });
  }
}
