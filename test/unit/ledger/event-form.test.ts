/**
 * Events in forms: what is kept is less than the text, and the text is made of it again, to the byte. The bytes at the end are
 * those of releases: when one of these tests fails by a change of a view, the change needs a new form (event-form.ts).
 */
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { LedgerForms } from '../../../src/db/forms.ts';
import { EVENT_FORMS, PAYOUT_EVENTS, SHARED_MEMBERS } from '../../../src/ledger/events/event-form.ts';
import { type KeptEventRow, objectIn, UnreadableEvent, wholePayload } from '../../../src/ledger/events/render-event.ts';
import { payouts } from '../../../src/payouts/payout/payout-table.ts';
import { payoutView } from '../../../src/payouts/payout/payout-view.ts';
import { writeJson } from '../../../src/values/json.ts';
import { LATEST_FORMS } from '../../support/forms.ts';
import { keptRows } from '../../support/kept-rows.ts';
import { MemoryBook } from '../../support/memory-book.ts';
import { PayoutScene } from '../../support/memory-payouts.ts';
import { anyAction, play } from '../../support/random-commands.ts';
import { runs } from '../../support/runs.ts';
import FORM_1 from './event-form-1.json' with { type: 'json' };

const WHOLE: LedgerForms = { ...LATEST_FORMS, eventsDerived: false };
const BOOK = { id: '018f4d3e-7b2a-7000-8000-000000000001' };

const rowsOf = ({ book, events }: MemoryBook) => keptRows(book.id, events);
const textsOf = (memory: MemoryBook) => rowsOf(memory).map((row) => wholePayload(row));
const lastOf = (memory: MemoryBook) => rowsOf(memory).at(-1)!;

test('whatever happens to payouts, their events are the same to the byte, and name the same texts', () => {
  const actions = fc.array(anyAction, { minLength: 20, maxLength: 100 });
  fc.assert(
    fc.property(actions, (list) => {
      const whole = new MemoryBook(BOOK, WHOLE);
      const played = play(whole, [
        { do: 'open', overdraft: 0 },
        { do: 'open', overdraft: 300 },
        { do: 'fund', account: 0, amount: 1_000 },
        ...list,
      ]);
      const derived = new MemoryBook(BOOK, LATEST_FORMS);
      for (const { command } of played) derived.run([command]);
      const rows = rowsOf(derived);
      expect(rows.map((row) => wholePayload(row))).toEqual(whole.events.map(({ payload }) => payload));
      expect(rows.map((row) => row.text_references)).toEqual(whole.events.map((event) => event.textReferences));
    }),
    { numRuns: runs(150) },
  );
});

/** Every status, both kinds of destinations, returns as steps and as children, and a payout that was paid after all. */
const LIVES: Record<string, (scene: PayoutScene) => unknown> = {
  accepted: (scene) => scene.accepted({ description: 'rent', metadata: { b: '1', a: '2' }, externalId: 'a "b" \n,[{' }),
  paid: (scene) => scene.paid({ description: 'rent', metadata: { a: 'ü' } }),
  'paid without a fee': (scene) => scene.paid({ fee: 0n }),
  'paid within the book': (scene) => scene.reserve(scene.acceptedForTarget({ metadata: { of: '"' } })),
  'failed at the rail': (scene) => scene.failed(),
  'unknown, then failed': (scene) => scene.settle(scene.unknown(scene.processing()), { status: 'rejected' }),
  'paid after it failed': (scene) => scene.settle(scene.failed(), { status: 'paid', railReference: 'R 1' }),
  canceled: (scene) => scene.cancel(scene.accepted({ description: 'rent' })),
  'returned in parts': (scene) => scene.giveBack(scene.giveBack(scene.paid(), 400n), 600n),
};

describe.each(Object.entries(LIVES))('a payout that is %s', (_, live) => {
  test('is announced in a form, and the texts are those of whole events', () => {
    const derived = new PayoutScene(LATEST_FORMS);
    live(derived);
    const { book, events } = derived.memory;
    const own = events.filter(({ type }) => type.startsWith('payout.'));
    expect(own.length).toBeGreaterThan(0);
    expect(own.every(({ form }) => form === PAYOUT_EVENTS.number)).toBe(true);
    expect(own.map(({ firstSequence }) => firstSequence)).toEqual(
      own.map((_, at) => (at === 0 ? null : own[0]!.sequence)),
    );
    expect(own.every(({ payload }) => payload.length < 1_200)).toBe(true);
    for (const row of keptRows(book.id, own)) {
      const text = wholePayload(row);
      expect(JSON.stringify(JSON.parse(text))).toBe(text);
      expect(JSON.parse(text)).toMatchObject({ type: row.type, sequence: Number(row.sequence) });
    }
  });
});

test('steps that change what later events leave out say all of it again, and those take from them', () => {
  const scene = new PayoutScene(LATEST_FORMS);
  const waiting = scene.unapproved({ description: 'rent', metadata: { a: '1' } });
  const changed = scene.update(waiting, { remittance: 'Invoice 18', metadata: { b: '2' } });
  const paid = scene.settle(scene.reserve(scene.judge(changed, 'approve')), { status: 'paid' });
  const own = rowsOf(scene.memory);
  expect(own.map(({ type }) => type)).toEqual([
    'payout.created',
    'payout.requires_approval',
    'payout.updated',
    'payout.approved',
    'payout.processing',
    'payout.paid',
  ]);
  const [created, , , approved] = own;
  const from = own.map(({ first_sequence: sequence }) => sequence);
  expect(from).toEqual([null, created!.sequence, null, null, approved!.sequence, approved!.sequence]);
  expect(scene.now(waiting).firstEvent).toBe(approved!.sequence);
  const shown = textsOf(scene.memory).map((text) => JSON.parse(text).data.object);
  expect(shown.map(({ hold }) => hold === null)).toEqual([true, true, true, false, false, false]);
  expect(shown.at(-1)).toEqual(JSON.parse(writeJson(payoutView(paid, false)).keptText));
});

describe('what a form cannot say is kept whole', () => {
  test('an event of an object whose first event is whole', () => {
    const scene = new PayoutScene(WHOLE);
    const payout = scene.accepted();
    scene.memory.forms = LATEST_FORMS;
    scene.settle(scene.reserve(payout), { status: 'paid' });
    expect(payout.firstEvent).toBeNull();
    expect(scene.memory.events.map(({ form }) => form)).toEqual([null, null, null]);
  });

  test('an event of a process that has not learned of the contract yet', () => {
    const scene = new PayoutScene(LATEST_FORMS);
    const payout = scene.accepted();
    scene.memory.forms = WHOLE;
    const processing = scene.reserve(payout);
    scene.memory.forms = LATEST_FORMS;
    scene.settle(processing, { status: 'paid' });
    expect(scene.memory.events.map(({ form }) => form)).toEqual([2, null, 2]);
    expect(textsOf(scene.memory).map((text) => JSON.parse(text).data.object.status)).toEqual([
      'pending',
      'processing',
      'paid',
    ]);
  });

  test('an entry of another resource, and one below a floor', () => {
    const scene = new PayoutScene(LATEST_FORMS);
    scene.giveBack(scene.paid(), 400n);
    expect(lastOf(scene.memory).payload).toContain('"resource":"payout_return"');
    const failed = scene.failed();
    scene.change(scene.source, { postedDebits: scene.memory.account(scene.source).postedCredits });
    scene.settle(failed, { status: 'paid' });
    const told = rowsOf(scene.memory).filter(({ type }) => type === 'payout.paid');
    expect(told.map(({ payload }) => payload.includes('"floor_overridden":true'))).toEqual([false, true]);
  });
});

test('personal text that was erased is null in the events that follow, and never that of the first one', () => {
  const scene = new PayoutScene(LATEST_FORMS);
  const payout = scene.processing({ description: 'rent', metadata: { a: '1' } });
  expect(JSON.parse(textsOf(scene.memory).at(-1)!).data.object.description).toHaveProperty('$personal');
  const erased = { ...payout, description: null, metadata: null, textSalt: null, version: payout.version + 1 };
  scene.settle(scene.memory.put(payouts, payout.id, erased), { status: 'paid' });
  const last = lastOf(scene.memory);
  expect(last.text_references).toBeNull();
  expect(JSON.parse(wholePayload(last)).data.object).toMatchObject({
    description: null,
    metadata: null,
    remittance: null,
  });
});

describe('an event that cannot be rendered', () => {
  let row: KeptEventRow;
  beforeEach(() => {
    const scene = new PayoutScene(LATEST_FORMS);
    scene.paid();
    row = lastOf(scene.memory);
  });

  test.each<[string, (paid: KeptEventRow) => Partial<KeptEventRow>]>([
    ['names a first event and no form', () => ({ form: null })],
    ['is of a form of a later release', () => ({ form: 999 })],
    ['lacks the first event', () => ({ first_payload: null })],
    ['has too few values', ({ payload }) => ({ payload: payload.replace(',"nobody"', '') })],
    ['follows a first event that is whole', () => ({ first_payload: '{"id":"evt_1"}' })],
    ['is no list', () => ({ payload: '{}' })],
    ['names an entry that it does not carry', ({ payload }) => ({ payload: payload.replace(',0]', ',7]') })],
    ['says what was no member of it before', ({ payload }) => ({ payload: payload.replace('[3,"proc', '[99,"proc') })],
    [
      'names a member and no value',
      ({ payload }) => ({ payload: payload.replace('[3,"processing",', '[3,"processing",4],[') }),
    ],
    ['names an account that no chart has', ({ payload }) => ({ payload: payload.replace(',7,', ',77,') })],
  ])('%s', (_, change) => {
    const changed = { ...row, ...change(row) };
    expect(changed).not.toEqual(row);
    expect(() => wholePayload(changed)).toThrow(UnreadableEvent);
  });
});

test('every form names each member once, has its number, and what events take from its first one', () => {
  for (const [number, form] of EVENT_FORMS) {
    expect(form.number).toBe(number);
    const names = form.members.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const shared of SHARED_MEMBERS)
      expect(form.members.find(({ name }) => name === shared)).toMatchObject({ keeping: 'first', copyOf: undefined });
  }
});

test('an event takes from a first one in the same form alone: where a release that had form 1 alone began the payout, later ones are whole', () => {
  const scene = new PayoutScene(LATEST_FORMS);
  const begun = scene.accepted();
  expect([begun.firstEvent === null, begun.firstForm]).toEqual([false, PAYOUT_EVENTS.number]);
  scene.reserve(begun);
  expect(lastOf(scene.memory)).toMatchObject({ form: PAYOUT_EVENTS.number, first_sequence: begun.firstEvent });

  const earlier = { ...scene.accepted(), firstForm: null };
  scene.memory.put(payouts, earlier.id, earlier);
  const reserved = scene.reserve(earlier);
  expect(lastOf(scene.memory)).toMatchObject({ form: null, first_sequence: null });
  expect(JSON.parse(wholePayload(lastOf(scene.memory))).data.object).toMatchObject({ status: 'processing' });
  scene.settle(reserved, { status: 'paid' });
  expect(lastOf(scene.memory)).toMatchObject({ form: null });
});

test('the form of payouts has the members of their view, in its order', () => {
  const view = payoutView(new PayoutScene().accepted(), false);
  expect(PAYOUT_EVENTS.members.map(({ name }) => name)).toEqual(Object.keys(view));
});

/** Rows as the release wrote them, and the texts that it sent. Nothing here is ever changed. */
test.each(FORM_1)('form 1, as release 0.3.0 wrote it: $row.type', ({ row, text }) => {
  const kept: KeptEventRow = {
    ...row,
    sequence: BigInt(row.sequence),
    first_sequence: row.first_sequence === null ? null : BigInt(row.first_sequence),
  };
  expect(wholePayload(kept)).toBe(text);
  expect(objectIn(text)).toBe(JSON.stringify(JSON.parse(text).data.object));
});
