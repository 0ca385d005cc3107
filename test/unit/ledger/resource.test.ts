import { beforeEach, describe, expect, test } from 'vitest';
import { column } from '../../../src/db/declared-columns.ts';
import { accounts } from '../../../src/ledger/account/account-table.ts';
import { newAccount } from '../../../src/ledger/account/chart.ts';
import { Draft } from '../../../src/ledger/command/draft.ts';
import { advance, announce, begin, type Resource, type Shown } from '../../../src/ledger/resources/resource.ts';
import { WRITE_ORDER } from '../../../src/ledger/rows/table.ts';
import { tableOf } from '../../../src/ledger/rows/table-of.ts';
import { newId, type ResourceName } from '../../../src/values/ids.ts';
import { MemoryBook, START } from '../../support/memory-book.ts';
import { momentAt } from '../../support/moment.ts';

interface Errand {
  readonly id: string;
  readonly status: 'waiting' | 'under_way' | 'done';
  readonly entryIds: readonly string[];
  readonly note: string | null;
  readonly version: number;
  readonly updatedAt: number;
}

const errands = tableOf<Errand>({
  name: 'errands',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  columns: [column('id', 'uuid'), column('status', 'code', { changes: true })],
});

/** A resource of no release. */
const ERRANDS = 'errand' as ResourceName;

const errandResource: Resource<Errand, Shown> = {
  name: ERRANDS,
  table: errands,
  parent: null,
  events: [],
  books: true,
  changed: (errand, change) => ({ ...errand, ...change }),
  transitions: { waiting: ['under_way', 'done'], under_way: ['done'], done: [] },
  view: ({ status, note, version }, { livemode }) => ({ object: 'errand', livemode, status, note, version }),
};

const [ANNA, BERT, ERRAND, REQUEST] = [newId(), newId(), newId(), newId()] as const;
const FIRST: Errand = { id: ERRAND, status: 'waiting', entryIds: [], note: 'n', version: 1, updatedAt: 7 };

let draft: Draft;
beforeEach(() => {
  const memory = new MemoryBook();
  for (const id of [ANNA, BERT])
    memory.put(accounts, id, { ...newAccount(id, 'customer', 'EUR'), postedCredits: 1_000n });
  memory.put(errands, ERRAND, FIRST);
  const touches = [
    { table: accounts, ids: [ANNA, BERT] },
    { table: errands, ids: [ERRAND] },
  ];
  draft = new Draft(memory.state([{ touches }]), { id: newId(), requestId: REQUEST }, momentAt(START));
});

const post = (step: string) =>
  draft.post({
    resource: ERRANDS,
    resourceId: ERRAND,
    step,
    postings: [{ debit: ANNA, credit: BERT, amount: 5n }],
  });
const told = () => draft.finish(null).events.map(({ payload }) => JSON.parse(payload));

describe('a step', () => {
  test('counts the version up, dates the row, and is put into the draft', () => {
    const next = advance(draft, errandResource, FIRST, { note: null });
    expect(next).toEqual({ ...FIRST, note: null, version: 2, updatedAt: START });
    expect(draft.get(errands, ERRAND)).toBe(next);
    expect(FIRST).toMatchObject({ version: 1, note: 'n' });
  });

  test('without an event tells nobody', () => {
    advance(draft, errandResource, FIRST, { status: 'done' });
    expect(told()).toEqual([]);
  });

  const earlier = { object: 'errand', livemode: false, status: 'waiting', note: 'earlier', version: 1 };
  test.each`
    change                                 | before       | says
    ${{ status: 'under_way' }}             | ${undefined} | ${{ status: 'waiting' }}
    ${{ status: 'under_way', note: null }} | ${undefined} | ${{ status: 'waiting', note: 'n' }}
    ${{ status: 'waiting' }}               | ${undefined} | ${{}}
    ${{ note: null }}                      | ${undefined} | ${{ note: 'n' }}
    ${{}}                                  | ${undefined} | ${{}}
    ${{ status: 'under_way' }}             | ${earlier}   | ${{ status: 'waiting', note: 'earlier' }}
  `('by $change is announced with what was $says', ({ change, before, says }) => {
    const next = advance(draft, errandResource, FIRST, change, { event: 'errand.moved', before });
    expect(told()).toMatchObject([
      {
        type: 'errand.moved',
        object_sequence: 2,
        data: { object: { object: 'errand', livemode: false, status: next.status, version: 2 } },
      },
    ]);
    expect(told()[0].data.previous_attributes).toEqual(says);
  });

  test('keeps the ids of its entries behind those before, and its event carries them', () => {
    const first = post('one');
    const second = post('two');
    const once = advance(draft, errandResource, FIRST, {}, { event: 'errand.moved', entries: [first] });
    const twice = advance(draft, errandResource, once, {}, { event: 'errand.moved', entries: [second] });
    expect(twice.entryIds).toEqual([first.id, second.id]);
    expect(told().map(({ journal_entries }) => journal_entries.map(({ step }: { step: string }) => step))).toEqual([
      ['one'],
      ['two'],
    ]);
  });

  test('of a resource that keeps no entries still announces them', () => {
    const { entryIds: _, ...plain } = FIRST;
    const keepsNone = errandResource as unknown as Resource<typeof plain>;
    const next = advance(draft, keepsNone, plain, {}, { event: 'errand.moved', entries: [post('one')] });
    expect(next).not.toHaveProperty('entryIds');
    expect(told()[0].journal_entries).toHaveLength(1);
  });

  test.each`
    from           | to             | allowed
    ${'waiting'}   | ${'under_way'} | ${true}
    ${'waiting'}   | ${'done'}      | ${true}
    ${'waiting'}   | ${'waiting'}   | ${true}
    ${'under_way'} | ${'waiting'}   | ${false}
    ${'done'}      | ${'waiting'}   | ${false}
    ${'done'}      | ${'done'}      | ${true}
    ${'done'}      | ${'gone'}      | ${false}
  `('from $from to $to is allowed: $allowed', ({ from, to, allowed }) => {
    const step = () => advance(draft, errandResource, { ...FIRST, status: from }, { status: to });
    if (allowed) expect(step().status).toBe(to);
    else expect(step).toThrow(`The errand does not go from ${from} to ${to}`);
  });

  test('to a status is a bug where the resource declares no transitions', () => {
    const { transitions: _, ...without } = errandResource;
    expect(() => advance(draft, without, FIRST, { status: 'done' })).toThrow('does not go from waiting to done');
  });
});

test('the first row is put and announced, and its view is written once', () => {
  const row = { ...FIRST, id: newId() };
  const view = begin(draft, errandResource, row, 'errand.created');
  expect(JSON.parse(view.text)).toEqual({
    object: 'errand',
    livemode: false,
    status: 'waiting',
    note: 'n',
    version: 1,
  });
  const { events } = draft.finish(null);
  expect(events[0]).toMatchObject({ type: 'errand.created', objectId: row.id, requestId: REQUEST });
  expect(events[0]!.payload).toContain(`"object":${view.text}`);
  expect(draft.get(errands, row.id)).toBe(row);
});

test('an announcement without a step says the version as it is', () => {
  const event = announce(draft, errandResource, FIRST, { event: 'errand.test' });
  expect(JSON.parse(event.text)).toMatchObject({ object_sequence: 1, data: { previous_attributes: {} } });
});
