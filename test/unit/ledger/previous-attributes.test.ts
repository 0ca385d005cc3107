/** What events say of their objects before, and what a request would change. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { differenceFrom, previousAttributes } from '../../../src/ledger/events/previous-attributes.ts';
import { wholePayload } from '../../../src/ledger/events/render-event.ts';
import { PersonalText } from '../../../src/ledger/rows/personal-text.ts';
import { personalTexts } from '../../../src/ledger/rows/personal-text-table.ts';
import { LATEST_FORMS } from '../../support/forms.ts';
import { keptRows } from '../../support/kept-rows.ts';
import { MemoryBook } from '../../support/memory-book.ts';
import { anyAction, play } from '../../support/random-commands.ts';
import { runs } from '../../support/runs.ts';

const owner = { object: 'payout', objectId: '018f4d3e-7b2a-7000-8000-000000000001', salt: Buffer.alloc(16) } as const;
const text = (value: string) => new PersonalText(owner, 'description', value);

test.each`
  before                                       | after                                        | previous
  ${{ status: 'a' }}                           | ${{ status: 'b' }}                           | ${{ status: 'a' }}
  ${{ status: 'a' }}                           | ${{ status: 'a' }}                           | ${{}}
  ${{ version: 1, updated_at: 'x', note: 1n }} | ${{ version: 2, updated_at: 'y', note: 1n }} | ${{}}
  ${{ failure: null }}                         | ${{ failure: { code: 'x' } }}                | ${{ failure: null }}
  ${{ failure: { code: 'x' } }}                | ${{ failure: null }}                         | ${{ failure: { code: 'x' } }}
  ${{ balance: { held: 1n, posted: 2n } }}     | ${{ balance: { held: 1n, posted: 3n } }}     | ${{ balance: { held: 1n, posted: 2n } }}
  ${{ balance: { held: 1n, posted: 2n } }}     | ${{ balance: { posted: 2n, held: 1n } }}     | ${{}}
  ${{ actions: ['a'] }}                        | ${{ actions: [] }}                           | ${{ actions: ['a'] }}
  ${{ actions: ['a', 'b'] }}                   | ${{ actions: ['b', 'a'] }}                   | ${{ actions: ['a', 'b'] }}
  ${{ metadata: {} }}                          | ${{ metadata: [] }}                          | ${{ metadata: {} }}
`('from $before to $after, $previous was before', ({ before, after, previous }) => {
  expect(previousAttributes(before, after)).toEqual(previous);
});

test('personal text is compared as text, and shown as what it is', () => {
  const before = { description: text('rent') };
  expect(previousAttributes(before, { description: text('rent') })).toEqual({});
  expect(previousAttributes(before, { description: text('food') }).description).toBe(before.description);
  expect(previousAttributes(before, { description: null }).description).toBe(before.description);
});

test.each`
  row                                     | change                                  | difference
  ${{ name: 'a', metadata: { x: '1' } }}  | ${{ name: 'a' }}                        | ${undefined}
  ${{ name: 'a', metadata: { x: '1' } }}  | ${{ name: 'b', metadata: { x: '1' } }}  | ${{ name: 'b' }}
  ${{ metadata: { x: '1', y: '2' } }}     | ${{ metadata: { y: '2', x: '1' } }}     | ${undefined}
  ${{ metadata: { x: '1', y: '2' } }}     | ${{ metadata: { x: '1' } }}             | ${{ metadata: { x: '1' } }}
  ${{ metadata: { x: '1' } }}             | ${{ metadata: { y: '1' } }}             | ${{ metadata: { y: '1' } }}
  ${{ events: ['a'], description: null }} | ${{ events: ['a'], description: null }} | ${undefined}
  ${{ metadata: null }}                   | ${{ metadata: {} }}                     | ${{ metadata: {} }}
`('of $change of $row, $difference is new', ({ row, change, difference }) => {
  expect(differenceFrom(row, change)).toEqual(difference);
});

describe('whatever happens', () => {
  /** Of two events about one object with no version between them, the later one says what the earlier one showed otherwise. */
  test('an event tells of every attribute that differs from the event before', () => {
    const actions = fc.array(anyAction, { minLength: 20, maxLength: 100 });
    fc.assert(
      fc.property(actions, (list) => {
        const memory = new MemoryBook({}, LATEST_FORMS);
        play(memory, [{ do: 'open', overdraft: 0 }, { do: 'fund', account: 0, amount: 1_000 }, ...list]);
        const texts = new Map(memory.log(personalTexts).map((one) => [one.reference, one.text]));
        const last = new Map<string, { version: number; object: Record<string, unknown> }>();
        for (const row of keptRows(memory.book.id, memory.events)) {
          const { data, object_sequence: version } = JSON.parse(wholePayload(row));
          const before = last.get(data.object.id);
          last.set(data.object.id, { version, object: data.object });
          // Payouts and holds of the book change an account's balance without an event about the account.
          if (before?.version !== version - 1 || data.object.object === 'account') continue;
          expect(data.previous_attributes).toEqual(differing(before.object, data.object, texts));
        }
      }),
      { numRuns: runs(100) },
    );
  });
});

/** By their texts, in which the order of members counts. The same text of a person under another name is the same. */
function differing(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  texts: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const shown = (value: unknown) =>
    JSON.stringify(value, (_, member) => (member?.$personal === undefined ? member : texts.get(member.$personal)));
  const names = Object.keys(before).filter((name) => shown(before[name]) !== shown(after[name]));
  return Object.fromEntries(
    names.filter((name) => !/^(version|updated_at)$/.test(name)).map((name) => [name, before[name]]),
  );
}
