/** Puts expected items that no bank has shown in time before people: one exception for an item and what cancels it. */
import { exceptions } from '../../exceptions/exception-table.ts';
import { openException } from '../../exceptions/open-exception.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { newId, publicId, type Uuid } from '../../values/ids.ts';
import type { ExpectedItem } from '../items/expected-item.ts';
import { expectedItems } from '../items/expected-item-table.ts';
import type { OverdueCase } from './overdue.ts';

/** An item and what cancels it, their exception and its event each. */
export const OVERDUE_PER_COMMAND = 200;

interface LeaveItems {
  readonly cases: readonly OverdueCase[];
  readonly requestId: Uuid;
  readonly actor: string;
}

/** An item that was matched meanwhile, or has an exception, is left as it is. */
export function leaveItems({ cases, requestId, actor }: LeaveItems): Command<void> {
  const origin = { id: newId(), requestId, actor };
  const ids = cases.map(() => newId());
  const items = cases.flatMap(({ item, counter }) => (counter ? [item.id, counter.id] : [item.id]));
  return {
    ...origin,
    name: 'expected_item.leave',
    touches: [
      { table: expectedItems, ids: items },
      { table: exceptions, ids },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      for (const [index, { item, counter }] of draft.each([...cases.entries()]))
        leave(draft, { item, counter, id: ids[index]! });
      return draft.finish(undefined);
    },
  };
}

function leave(draft: Draft, { item: read, counter, id }: OverdueCase & { id: Uuid }): void {
  const both = [read, ...(counter ? [counter] : [])].map((one) => draft.get(expectedItems, one.id)!);
  if (both.some((one) => one.exceptionId !== null || one.amountOpen === 0n)) return;
  for (const one of both) draft.put(expectedItems, one.id, { ...one, exceptionId: id });
  const [item] = both as [ExpectedItem];
  openException(draft, {
    ...{ id, kind: 'item_overdue', resource: 'expected_item', resourceId: item.id },
    detail: detailOf(item, counter),
    proposals: counter
      ? [
          {
            ...{ rule: 'reversal', lines: [], items: both.map((one) => publicId('expectedItem', one.id)) },
            ...{ reason: 'The two items cancel each other, and no bank has shown either.', difference: '0' },
          },
        ]
      : [],
  });
}

function detailOf({ party, direction, amountOpen, currency, expectedOn }: ExpectedItem, counter: unknown): string {
  const side = direction === 'in' ? 'a credit' : 'a debit';
  const of = party === null ? '' : ` of ${party}`;
  return counter
    ? `No bank has shown ${side}${of} of ${amountOpen} ${currency} in minor units, expected on ${expectedOn}, nor what brings it back.`
    : `No bank has shown ${side}${of} of ${amountOpen} ${currency} in minor units, expected on ${expectedOn}.`;
}
