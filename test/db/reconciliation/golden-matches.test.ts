/** Golden scenarios of matches that need a form, a currency or a day of their own. Numbers are rows of the scenarios' table. */
import { describe, expect, test } from 'vitest';
import { addDays } from '../../../src/calendar/day.ts';
import { closeBooks } from '../../../src/journal/periods/close-books.ts';
import { findVerified } from '../../../src/journal/periods/period-store.ts';
import { approveMatch, undoMatch } from '../../../src/reconciliation/matches/match-by-hand.ts';
import { encodeActor } from '../../../src/values/actor.ts';
import { newId } from '../../../src/values/ids.ts';
import { camt, mt940, type OperatorsBank } from '../../support/bank-statements.ts';
import { eachBank } from '../../support/each-bank.ts';
import { expectItems, matchByHand, matchesOf, openItemsOf, saidOf } from '../../support/matched-bank.ts';
import { OURS, RAIL_ACCOUNT } from '../../support/matching.ts';

let bank: OperatorsBank;
eachBank(
  (opened) => {
    ({ bank } = opened);
  },
  { equal: 'statements' },
);

const RAIL = { party: 'rail', accounts: [RAIL_ACCOUNT], names: [], settles: 'single' } as const;
const [E1, E2] = [OURS('A'), OURS('B')];
const kinds = async () => (await bank.exceptions()).map(({ kind, stage }) => `${kind} ${stage}`);

/** `rule: the line's references → the items' end-to-end ids`, whatever their ids are. */
async function named(): Promise<string[]> {
  const rows = await bank.book.rows<{ rule: string; lines: string[]; items: string[] }>(
    `SELECT m.rule,
       (SELECT array_agg(COALESCE(l.bank_reference, l.end_to_end_id, '') || ' ' || l.amount ORDER BY l.bank_reference, l.amount) FROM bank_lines l
         WHERE l.book_id = m.book_id AND l.match_ids ? m.id::text) AS lines,
       (SELECT array_agg(i.end_to_end_id ORDER BY i.end_to_end_id) FROM expected_items i
         JOIN jsonb_array_elements(m.items) AS part ON i.id = (part ->> 'id')::uuid WHERE i.book_id = m.book_id) AS items
     FROM bank_matches m WHERE m.book_id = $1 AND m.status = 'confirmed'`,
  );
  return rows
    .map(({ rule, lines, items }) => `${rule}: ${lines.join(', ')} → ${items?.join(', ') ?? 'nothing'}`)
    .sort();
}

test('2: the same amount twice a day is ordinary', async () => {
  await bank.account({ parties: [RAIL] });
  await expectItems(bank.taker, [
    { amount: -25_000n, endToEndId: 'E1' },
    { amount: -25_000n, endToEndId: 'E2' },
  ]);
  const entries = [
    { amount: -25_000, endToEndId: 'E2', reference: 'S1', text: 'To Salma' },
    { amount: -25_000, endToEndId: 'E1', reference: 'S2', text: 'To Salma' },
  ];
  await bank.take(camt([{ opening: 0, entries }]));
  expect(await named()).toEqual(['end_to_end_id: S1 -25000 → E2', 'end_to_end_id: S2 -25000 → E1']);
  expect(await kinds()).toEqual([]);
  expect(await bank.balances()).toEqual({ bank: -50_000n, rail_clearing: -50_000n });
});

test('10: the same statement in a bundle of three is known, and its match stands', async () => {
  await bank.account({ parties: [RAIL] });
  await expectItems(bank.taker, [{ amount: -25_000n, endToEndId: 'E1' }]);
  const one = { opening: 0, entries: [{ amount: -25_000, endToEndId: 'E1', reference: 'S1' }] };
  await bank.take(camt([one]));
  const later = [2, 3].map((number) => ({
    ...{ number: String(number), on: `2026-11-0${number + 2}`, opening: -25_000, entries: [] },
  }));
  const bundle = await bank.take(camt([{ ...one, duplicate: true }, ...later], { id: 'M2' }));
  expect(bundle).toMatchObject({ statements: 3, known: 1, lines: 0, matched: 0, findingsTotal: 0 });
  expect(await named()).toEqual(['end_to_end_id: S1 -25000 → E1']);
  expect(await kinds()).toEqual([]);
  expect(await bank.balances()).toEqual({ bank: -25_000n, rail_clearing: -25_000n });
});

test('13: what a camt.052 has shown is matched once the camt.053 posts it', async () => {
  await bank.account({ parties: [RAIL] });
  await expectItems(bank.taker, [{ amount: -25_000n, endToEndId: 'E1' }]);
  const entry = { amount: -25_000, endToEndId: 'E1', reference: 'S1' };
  for (const status of ['PDNG', 'BOOK'] as const)
    await bank.take(camt([{ number: '7', entries: [{ ...entry, status }] }], { type: 'camt.052' }));
  expect(await named()).toEqual([]);
  await bank.take(camt([{ opening: 0, entries: [entry] }]));
  expect(await bank.lines()).toMatchObject([{ amount: -25_000n, status: 'matched' }]);
  expect(await named()).toEqual(['end_to_end_id: S1 -25000 → E1']);
  expect(await kinds()).toEqual([]);
  expect(await bank.balances()).toEqual({ bank: -25_000n, rail_clearing: -25_000n });
});

describe('MT940', () => {
  const statement = (...lines: readonly string[]) =>
    mt940({ number: '1', opening: ':60F:C261103JOD0,', closing: ':62F:D261103JOD25,000', lines });

  test('5: a reference of which the bank keeps sixteen characters', async () => {
    await bank.account({ parties: [RAIL] });
    await expectItems(bank.taker, [{ amount: -25_000n, endToEndId: E1 }]);
    await bank.take(statement(`:61:2611031103DD25,000NTRF${E1.slice(0, 16)}`));
    expect(await saidOf(bank)).toEqual(['reference_cut: -25000 ↔ -25000']);
    expect(await kinds()).toEqual([]);
    expect(await bank.balances()).toEqual({ bank: -25_000n, rail_clearing: -25_000n });
  });

  test('6: a reference broken over subfields and lines', async () => {
    await bank.account({ parties: [RAIL] });
    await expectItems(bank.taker, [{ amount: -25_000n, endToEndId: E1 }]);
    const text = `:86:177?00TRANSFER?20EREF+${E1.slice(0, 22)}?21${E1.slice(22)}?22SVWZ+Pay`;
    const broken = [text.slice(0, 65), text.slice(65)];
    await bank.take(statement(':61:2611031103DD25,000NTRFNONREF', ...broken));
    // The reader joins the subfields and finds the tag: the line has the id itself (docs/decisions/bank-matches.md).
    expect(await named()).toEqual([`end_to_end_id: ${E1} -25000 → ${E1}`]);
    expect(await kinds()).toEqual([]);
    expect(await bank.balances()).toEqual({ bank: -25_000n, rail_clearing: -25_000n });
  });
});

describe('a line of several movements', () => {
  const P = [10_000n, 20_000n, 30_000n].map((amount, index) => ({
    ...{ amount: -amount, endToEndId: `E${index + 1}`, batchId: 'F1' },
  }));
  const line = (...amounts: readonly number[]) =>
    camt([
      {
        opening: 0,
        entries: [
          {
            ...{ amount: -60_000, batch: { id: 'F1', transactions: 3 } },
            details: amounts.map((amount, index) => ({ amount, endToEndId: `E${index + 1}` })),
          },
        ],
      },
    ]);

  test('17: each of which is an item', async () => {
    await bank.account({ parties: [RAIL] });
    await expectItems(bank.taker, P);
    const run = await bank.take(line(10_000, 20_000, 30_000));
    expect(run.findings).toEqual([]);
    expect(await saidOf(bank)).toEqual(['details: -60000 ↔ -10000, -20000, -30000']);
    expect(await kinds()).toEqual([]);
    expect(await bank.balances()).toEqual({ bank: -60_000n, rail_clearing: -60_000n });
  });

  test.each([
    ['two', [10_000, 20_000], '-30000'],
    ['one of three', [10_000], '-10000'],
  ])('18: %s that do not come to it: the line stays what the bank booked', async (_, amounts, actual) => {
    await bank.account({ parties: [RAIL] });
    await expectItems(bank.taker, P);
    const run = await bank.take(line(...amounts));
    expect(run.findings).toMatchObject([{ code: 'details_differ', expected: '-60000', actual }]);
    expect(await saidOf(bank)).toEqual([]);
    expect(await kinds()).toEqual(['bank_line_unmatched open']);
    expect(await openItemsOf(bank)).toEqual([10_000n, 20_000n, 30_000n]);
    expect(await bank.balances()).toEqual({ bank: -60_000n, suspense: 60_000n });
  });

  test('18: one movement that does not come to it lends the line no id', async () => {
    await bank.account({ parties: [RAIL] });
    await expectItems(bank.taker, [{ amount: -60_000n, endToEndId: 'E1' }]);
    const entries = [{ amount: -60_000, account: RAIL_ACCOUNT, details: [{ amount: 10_000, endToEndId: 'E1' }] }];
    const run = await bank.take(camt([{ opening: 0, entries }]));
    expect(run.findings).toMatchObject([{ code: 'details_differ', expected: '-60000', actual: '-10000' }]);
    expect(await bank.book.row('SELECT end_to_end_id, refs FROM bank_lines WHERE book_id = $1')).toEqual({
      ...{ end_to_end_id: null, refs: [] },
    });
    expect(await saidOf(bank)).toEqual([]);
    expect(await kinds()).toEqual(['bank_line_unmatched open']);
    expect(await openItemsOf(bank)).toEqual([60_000n]);
  });
});

test('20: a day of a rail that settles net, with another sum', async () => {
  await bank.account({ parties: [{ ...RAIL, settles: 'day' }] });
  await expectItems(bank.taker, [
    { amount: -10_000n, endToEndId: 'E1' },
    { amount: -20_000n, endToEndId: 'E2' },
  ]);
  await bank.take(camt([{ on: '2026-11-04', opening: 0, entries: [{ amount: -30_500, account: RAIL_ACCOUNT }] }]));
  expect(await saidOf(bank)).toEqual([]);
  expect(await kinds()).toEqual(['bank_amount_differs open']);
  const { proposals } = await bank.book.row<{ proposals: object[] }>(
    'SELECT proposals FROM exceptions WHERE book_id = $1',
  );
  expect(proposals).toMatchObject([{ rule: 'day', difference: '-500' }]);
  expect(await bank.balances()).toEqual({ bank: -30_500n, suspense: 30_500n });
});

describe('45: a statement of closed days that is restated', () => {
  const today = new Date().toISOString().slice(0, 10);
  const [on, closed] = [addDays(today, -22), addDays(today, -20)];

  test('takes effect on the first open day, and keeps its own', async () => {
    await bank.account({ parties: [RAIL] });
    await expectItems(bank.taker, [{ amount: -25_000n, endToEndId: 'E1', expectedOn: on }]);
    const statement = { number: '7', on, opening: 0, entries: [{ amount: 10_000, reference: 'S1' }] };
    await bank.take(camt([statement]));
    const verified = await findVerified(bank.pool, bank.book.id);
    const by = { requestId: newId(), actor: encodeActor({ type: 'person', id: newId(), keyId: newId() }) };
    const before = { closedThrough: null, pending: undefined, verified };
    await bank.book.submit(closeBooks({ ...by, through: closed, reason: null, before }));
    const more = [...statement.entries, { amount: -25_000, endToEndId: 'E1', reference: 'S2' }];
    await bank.take(camt([{ ...statement, entries: more }], { id: 'M2' }));
    expect(await bank.balances()).toMatchObject({ bank: 10_000n });
    const [, held] = await bank.statements();
    expect(held).toMatchObject({ status: 'held', findings: [{ code: 'statement_restated' }] });
    await bank.decide(held!.id, 'accept');
    const days = await bank.book.rows<{ day: string; occurred_on: string | null }>(
      `SELECT to_char(effective_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, occurred_on FROM entries
       WHERE book_id = $1 AND resource = 'bank_statement' ORDER BY sequence`,
    );
    expect(days).toEqual([
      { day: on, occurred_on: null },
      { day: addDays(closed, 1), occurred_on: on },
    ]);
    // What is posted by the approval is matched by the next run.
    await bank.take(camt([{ number: '8', on: addDays(on, 1), opening: -15_000, entries: [] }], { id: 'M3' }));
    expect(await saidOf(bank)).toEqual(['end_to_end_id: -25000 ↔ -25000']);
    expect(await bank.balances()).toEqual({ bank: -15_000n, unallocated: 10_000n, rail_clearing: -25_000n });
  });
});

test('46: a match that was wrong is undone by one person, and the right one is made by two', async () => {
  await bank.account({ parties: [RAIL] });
  const [, right] = await expectItems(bank.taker, [
    { amount: -25_000n, endToEndId: 'E1' },
    { amount: -25_000n, endToEndId: 'E2' },
  ]);
  await bank.take(camt([{ opening: 0, entries: [{ amount: -25_000, endToEndId: 'E1', reference: 'S1' }] }]));
  const [wrong] = await matchesOf(bank);
  const actor = encodeActor({ type: 'person', id: newId(), keyId: newId() });
  const asked = { bookId: bank.book.id, requestId: newId(), actor };
  await bank.book.submit(undoMatch({ ...asked, match: wrong!, bankAccountIds: [], reason: 'It is the other payout' }));
  expect(await kinds()).toEqual(['bank_line_unmatched open']);
  expect(await bank.balances()).toEqual({ bank: -25_000n, suspense: 25_000n });
  const again = await bank.book.submit(undoMatch({ ...asked, match: wrong!, bankAccountIds: [], reason: 'Twice' }));
  expect(again.refused).toBe('state_conflict');
  const { id } = await bank.book.row<{ id: string }>('SELECT id FROM bank_lines WHERE book_id = $1');
  await matchByHand(bank, { lines: [id], items: [right!.id] });
  expect(await saidOf(bank)).toEqual(['end_to_end_id: -25000 ↔ -25000', 'manual: -25000 ↔ -25000']);
  expect((await matchesOf(bank)).map(({ status }) => status)).toEqual(['undone', 'confirmed']);
  expect(await kinds()).toEqual(['bank_line_unmatched approved']);
  expect(await openItemsOf(bank)).toEqual([25_000n]);
  expect(await bank.balances()).toEqual({ bank: -25_000n, rail_clearing: -25_000n });
  const evidence = { exceptionIds: [], evidence: new Map<string, string>(), credits: new Map() };
  const late = await bank.book.submit(approveMatch({ ...asked, match: wrong!, ...evidence }));
  expect(late.refused).toBe('state_conflict');
});

test('48: currencies never meet, and what was ordered is kept', async () => {
  await bank.account({ currency: 'USD', parties: [RAIL] });
  await expectItems(bank.taker, [
    { amount: -10_000n, endToEndId: 'E1', currency: 'USD' },
    { amount: -9_200n, endToEndId: 'E1', currency: 'EUR' },
  ]);
  const instructed = { amount: -9_200, currency: 'EUR', rate: '1.0870' };
  await bank.take(
    camt([{ currency: 'USD', opening: 0, entries: [{ amount: -10_000, endToEndId: 'E1', instructed }] }]),
  );
  expect(await saidOf(bank)).toEqual(['end_to_end_id: -10000 ↔ -10000']);
  expect(await openItemsOf(bank)).toEqual([9_200n]);
  const { original } = await bank.book.row<{ original: object }>('SELECT original FROM bank_lines WHERE book_id = $1');
  expect(original).toEqual({ amount: '9200', currency: 'EUR', rate: '1.0870' });
  expect(await kinds()).toEqual([]);
});

describe('50: whatever the order of files, rows and the mirror', () => {
  const item = (amount: bigint, endToEndId: string) => ({ amount: -amount, endToEndId });
  const ITEMS = [
    ...[item(25_000n, E1), item(25_000n, E2), item(31_000n, OURS('C')), item(31_000n, OURS('D'))],
    ...[item(32_000n, OURS('E')), item(33_000n, OURS('F')), item(34_000n, OURS('G')), item(35_000n, OURS('H'))],
  ];
  const DAYS = [
    [
      { amount: -25_000, endToEndId: E2, reference: 'S1' },
      { amount: -25_000, endToEndId: E1, reference: 'S2' },
      { amount: -31_000, account: RAIL_ACCOUNT, reference: 'S3' },
    ],
    [
      { amount: -31_000, account: RAIL_ACCOUNT, reference: 'S4' },
      { amount: -32_000, text: `To ${OURS('E').slice(0, 9)} ${OURS('E').slice(9)}`, reference: 'S5' },
    ],
    [
      { amount: -33_000, endToEndId: OURS('F').slice(0, 16), reference: 'S6' },
      { amount: -34_000, endToEndId: 'INV-9', account: RAIL_ACCOUNT, reference: 'S7' },
      { amount: -35_000, reference: 'S8' },
    ],
  ];
  const MATCHES = [
    `amount_counterparty: S3 -31000 → ${OURS('C')}`,
    `amount_counterparty: S4 -31000 → ${OURS('D')}`,
    `end_to_end_id: S1 -25000 → ${E2}`,
    `end_to_end_id: S2 -25000 → ${E1}`,
    `reference_cut: S6 -33000 → ${OURS('F')}`,
    `reference_in_text: S5 -32000 → ${OURS('E')}`,
  ];

  test.each`
    name                                            | files        | rows        | mirror
    ${'in order, the mirror before'}                | ${[0, 1, 2]} | ${'kept'}   | ${'before'}
    ${'the last file first, the mirror after'}      | ${[2, 1, 0]} | ${'kept'}   | ${'after'}
    ${'rows turned, files mixed, the mirror after'} | ${[1, 0, 2]} | ${'turned'} | ${'after'}
  `('$name: the same matches by the same rules', async ({ files, rows, mirror }) => {
    await bank.account({ parties: [RAIL] });
    const mirrorItems = () => expectItems(bank.taker, mirror === 'before' ? ITEMS : ITEMS.toReversed());
    if (mirror === 'before') await mirrorItems();
    let opening = 0;
    const statements = DAYS.map((entries, index) => {
      const one = { number: String(index + 1), on: `2026-11-0${index + 3}`, opening };
      opening += entries.reduce((sum, { amount }) => sum + amount, 0);
      return { ...one, entries: rows === 'turned' ? entries.toReversed() : entries };
    });
    // In one file the run at its end is the one that matches.
    if (mirror === 'before') await bank.take(camt(files.map((index: number) => statements[index]!)));
    else for (const index of files) await bank.take(camt([statements[index]!], { id: `M${index}` }));
    if (mirror === 'after') await mirrorItems();
    await bank.take(camt([{ number: '4', on: '2026-11-06', opening, entries: [] }], { id: 'M9' }));
    expect(await named()).toEqual(MATCHES);
    const open = await bank.book.rows<{ bank_reference: string }>(
      "SELECT bank_reference FROM bank_lines WHERE book_id = $1 AND status <> 'matched' ORDER BY bank_reference",
    );
    expect(open.map(({ bank_reference: reference }) => reference)).toEqual(['S7', 'S8']);
  });
});
