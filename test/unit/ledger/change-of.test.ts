import { beforeEach, describe, expect, test } from 'vitest';
import { column } from '../../../src/db/declared-columns.ts';
import type { Answered, Refusal } from '../../../src/ledger/command/command.ts';
import { type ChangeRequest, changeOf } from '../../../src/ledger/resources/change-of.ts';
import { advance, type Resource, type Shown } from '../../../src/ledger/resources/resource.ts';
import { WRITE_ORDER } from '../../../src/ledger/rows/table.ts';
import { tableOf } from '../../../src/ledger/rows/table-of.ts';
import { newId, type ResourceName } from '../../../src/values/ids.ts';
import { MemoryBook } from '../../support/memory-book.ts';

interface Lamp {
  readonly id: string;
  readonly status: 'on' | 'off' | 'broken';
  readonly version: number;
  readonly updatedAt: number;
}

const lamps = tableOf<Lamp>({
  name: 'lamps',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  columns: [column('id', 'uuid'), column('status', 'code', { changes: true })],
});

const ACTIONS = { on: ['switch_off'], off: ['switch_on'], broken: [] } as const;

const lampResource: Resource<Lamp, Shown> = {
  name: 'desk_lamp' as ResourceName, // a resource of no release
  table: lamps,
  parent: null,
  events: [],
  books: false,
  changed: (lamp, change) => ({ ...lamp, ...change }),
  transitions: { on: ['off'], off: ['on'], broken: [] },
  allowedActions: ({ status }) => ACTIONS[status],
  unlistedActions: ['dust'],
  isGone: ({ status }) => status === 'broken',
  view: ({ status }) => ({ status }),
};

interface Switched extends Answered {
  readonly lamp: Lamp;
}

const [LAMP, BROKEN] = [newId(), newId()] as const;
let memory: MemoryBook;
beforeEach(() => {
  memory = new MemoryBook();
  memory.put(lamps, LAMP, { id: LAMP, status: 'on', version: 3, updatedAt: 0 });
  memory.put(lamps, BROKEN, { id: BROKEN, status: 'broken', version: 1, updatedAt: 0 });
});

function ask(change: Partial<ChangeRequest>, resource = lampResource): Switched | Refusal {
  const request = { id: LAMP, action: 'switch_off', requestId: newId(), ...change };
  const command = changeOf(resource, request, (draft, lamp): Switched => {
    const status = request.action === 'dust' ? lamp.status : 'off';
    return { lamp: advance(draft, resource, lamp, { status }, { event: 'lamp.changed' }) };
  });
  return memory.answer(command);
}

/** In the order of the guards: each case would also be refused by those after it, where that can be. */
test.each`
  id         | ifMatch      | action          | refused
  ${newId()} | ${9}         | ${'switch_on'}  | ${'resource_not_found'}
  ${BROKEN}  | ${9}         | ${'switch_on'}  | ${'resource_not_found'}
  ${LAMP}    | ${2}         | ${'switch_on'}  | ${'version_mismatch'}
  ${LAMP}    | ${4}         | ${'dust'}       | ${'version_mismatch'}
  ${LAMP}    | ${3}         | ${'switch_on'}  | ${'state_conflict'}
  ${LAMP}    | ${undefined} | ${'switch_on'}  | ${'state_conflict'}
  ${LAMP}    | ${undefined} | ${'paint'}      | ${'state_conflict'}
  ${LAMP}    | ${3}         | ${'dust'}       | ${undefined}
  ${LAMP}    | ${3}         | ${'switch_off'} | ${undefined}
  ${LAMP}    | ${undefined} | ${'switch_off'} | ${undefined}
`('$action with If-Match $ifMatch is refused as $refused', ({ id, ifMatch, action, refused }) => {
  const before = memory.dump();
  const answer = ask({ id, ifMatch, action });
  expect(answer.refused).toBe(refused);
  if (refused) expect([memory.dump(), memory.events]).toEqual([before, []]);
  else expect(memory.get(lamps, LAMP).version).toBe(4);
});

describe('a refusal', () => {
  test('says the version that the object has', () => {
    expect(ask({ ifMatch: 1 })).toEqual({
      refused: 'version_mismatch',
      param: 'If-Match',
      detail: 'The desk lamp is at version 3.',
      facts: { version: 3 },
    });
  });

  test('says what is allowed instead', () => {
    expect(ask({ action: 'switch_on' })).toEqual({
      refused: 'state_conflict',
      detail: 'The desk lamp is on.',
      facts: { current_status: 'on', allowed_actions: ['switch_off'] },
    });
  });

  test('uses the words of its resource', () => {
    const named: Resource<Lamp> = {
      ...lampResource,
      noun: 'lamp',
      statusOf: () => 'bright',
      whyNot: ({ status }, action) => `A lamp that is ${status} does not ${action}.`,
    };
    expect(ask({ ifMatch: 1 }, named)).toMatchObject({ detail: 'The lamp is at version 3.' });
    expect(ask({ action: 'switch_on' }, named)).toMatchObject({
      detail: 'A lamp that is on does not switch_on.',
      facts: { current_status: 'bright' },
    });
  });

  test('by the decision keeps nothing of what it did before', () => {
    const before = memory.dump();
    const command = changeOf(lampResource, { id: LAMP, action: 'switch_off', requestId: newId() }, (draft, lamp) => {
      advance(draft, lampResource, lamp, { status: 'off' }, { event: 'lamp.changed' });
      return { refused: 'limit_exceeded' } satisfies Refusal as Switched | Refusal;
    });
    expect(memory.answer(command)).toEqual({ refused: 'limit_exceeded' });
    expect([memory.dump(), memory.events]).toEqual([before, []]);
  });
});

test('the command is named after resource and action, and takes the id that something was sealed for', () => {
  const commandId = newId();
  const request = {
    id: LAMP,
    action: 'dust',
    requestId: newId(),
    commandId,
    touches: [{ table: lamps, ids: [BROKEN] }],
  };
  const command = changeOf(lampResource, request, (_, lamp): Switched => ({ lamp }));
  expect(command).toMatchObject({ id: commandId, name: 'desk_lamp.dust' });
  expect(command.touches.map(({ ids }) => ids)).toEqual([[LAMP], [BROKEN]]);
});
