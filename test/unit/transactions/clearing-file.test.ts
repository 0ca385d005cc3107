/** A clearing file that is not whole, or whose lines have no form: each says where, and nothing of it is read. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClearingFields, clearingCsv, clearingRow } from '../../../scripts/harness/clearing-file.ts';
import { BadInput } from '../../../src/intake/bad-input.ts';
import { checkFile, linesOf } from '../../../src/transactions/clearing-files/check-file.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'clearing-file-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LINE = { message_reference: 'm1', network_reference: 'n1', program: 'book_1', card: 'c1', amount: 4_000 };
const fileOf = (text: string) => {
  const file = join(folder, 'file.csv');
  writeFileSync(file, text);
  return file;
};
const saidOf = (text: string) => {
  try {
    checkFile(fileOf(text));
    return 'whole';
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    return error.message;
  }
};
const second = (fields: ClearingFields) => clearingCsv([LINE, { ...LINE, message_reference: 'm2', ...fields }]);

test('a whole file: its lines, what each program has, and its digest', () => {
  const reversal = { type: 'clearing_reversal', reverses: 'm1', message_reference: 'm3', amount: 1_500 };
  const text = clearingCsv([
    LINE,
    { ...LINE, message_reference: 'm2', program: 'book_2', currency: 'JOD', sequence: '2/3', final: 'false' },
    { ...LINE, ...reversal },
  ]);
  expect(text).toContain('TOTAL,2,,,,,2500,USD,');
  const checked = checkFile(fileOf(text));
  expect(checked).toMatchObject({
    lines: 3,
    programs: new Map([
      ['book_1', 2],
      ['book_2', 1],
    ]),
  });
  expect(checked.sha256).toMatch(/^[0-9a-f]{64}$/);
  const lines = [...linesOf(checked.file, () => undefined)].flat();
  expect(lines.map(({ row }) => row)).toEqual([2, 3, 4]);
  expect(lines[1]!.line).toMatchObject({
    sequence: { number: 2, count: 3 },
    isFinal: false,
    kind: null,
    reverses: null,
  });
  expect(lines[2]!.line).toMatchObject({ type: 'clearing_reversal', reverses: 'm1', amount: 1_500n, isFinal: null });
});

test('a day without clearings has a TOTAL of no lines', () => {
  expect(
    checkFile(
      fileOf(
        clearingCsv([]) + clearingRow({ message_reference: 'TOTAL', network_reference: 0, amount: 0, currency: 'USD' }),
      ),
    ).lines,
  ).toBe(0);
});

describe('a line', () => {
  test.each<[string, ClearingFields, string]>([
    [
      'a control character in a reference',
      { message_reference: 'm\u00072' },
      'Line 3: The message_reference: Expects visible ASCII characters',
    ],
    [
      'a space in a reference',
      { network_reference: 'n 2' },
      'Line 3: The network_reference: Expects visible ASCII characters',
    ],
    ['a line end in a name', { merchant_name: 'a\nb' }, 'Line 3: The merchant_name: Expects one line'],
    ['a reference that is too long', { card: 'x'.repeat(65) }, 'Line 3: The card has more than 64 characters.'],
    ['no network reference', { network_reference: '' }, 'Line 3: It has no network_reference.'],
    ['no program', { program: '' }, 'Line 3: It has no program.'],
    ['no merchant', { merchant_id: '' }, 'Line 3: It has no merchant_id.'],
    ['another type', { type: 'authorization' }, 'Line 3: The type is authorization, and should be one of clearing,'],
    ['another kind', { kind: 'refund' }, 'Line 3: The kind is refund, and should be one of purchase,'],
    ['a kind of a refund', { type: 'refund', kind: 'cash' }, 'Line 3: A refund has no kind: a clearing has.'],
    ['nothing', { amount: 0 }, 'Line 3: The amount is 0, and should be from 1 to 9007199254740991.'],
    ['less than nothing', { amount: -1 }, 'Line 3: The amount is -1, and should be a whole number of minor units.'],
    ['a fraction', { merchant_amount: '1.5', merchant_currency: 'USD' }, 'a whole number of minor units'],
    ['too much', { amount: 9_007_199_254_740_992n }, 'Line 3: The amount is 9007199254740992, and should be from 1'],
    ['no currency', { currency: 'XXQ' }, 'Line 3: The currency is XXQ, and should be a currency.'],
    [
      'half of the merchant’s amount',
      { merchant_amount: 5 },
      'Line 3: The merchant_amount and the merchant_currency stand together.',
    ],
    ['piece 4 of 3', { sequence: '4/3' }, 'Line 3: The sequence is 4/3: there are only 3 pieces.'],
    ['piece 0', { sequence: '0/3' }, 'Line 3: The sequence is 0/3, and should be a piece'],
    [
      'pieces of a reversal',
      { type: 'clearing_reversal', reverses: 'm1', sequence: '1/2' },
      'Line 3: A clearing_reversal has no sequence',
    ],
    ['neither final nor not', { final: 'yes' }, 'Line 3: The final is yes, and should be one of true, false.'],
    ['three digits of a category', { mcc: '541' }, 'Line 3: The mcc is 541, and should be four digits.'],
    [
      'a country in small letters',
      { merchant_country: 'us' },
      'Line 3: The merchant_country is us, and should be two capital letters.',
    ],
    [
      'interchange that is no number',
      { interchange: '1e3' },
      'Line 3: The interchange is 1e3, and should be a whole number',
    ],
    [
      'a day that there is not',
      { business_date: '2026-02-30' },
      'Line 3: The business_date is 2026-02-30, and should be a day that there is.',
    ],
    ['a reversal of nothing', { type: 'clearing_reversal' }, 'Line 3: It has no reverses.'],
    ['a clearing that reverses', { reverses: 'm1' }, 'Line 3: A clearing has no reverses: a reversal has.'],
    [
      'the reference of another line',
      { message_reference: 'm1' },
      'Line 3: The message_reference m1 stands in line 2 as well.',
    ],
  ])('%s', (_, fields, said) => {
    expect(saidOf(second(fields))).toContain(said);
  });
});

describe('a file that is not whole', () => {
  const whole = clearingCsv([LINE, { ...LINE, message_reference: 'm2', type: 'refund', amount: 1_000 }]);
  test.each([
    [
      'another total',
      whole.replace('TOTAL,2,,,,,3000', 'TOTAL,2,,,,,3001'),
      'Line 4: The TOTAL of USD is 2 lines and 3001, and the lines come to 2 and 3000.',
    ],
    [
      'another count',
      whole.replace('TOTAL,2', 'TOTAL,3'),
      'Line 4: The TOTAL of USD is 3 lines and 3000, and the lines come to 2 and 3000.',
    ],
    ['no total', whole.slice(0, whole.indexOf('TOTAL')), 'Line 3: The file ends without its TOTAL'],
    [
      'no total of a currency',
      clearingCsv([LINE, { ...LINE, message_reference: 'm2', currency: 'JOD' }]).replace(/TOTAL,.*,JOD,.*\n/, ''),
      'There is no TOTAL of JOD',
    ],
    ['a total twice', whole + whole.slice(whole.indexOf('TOTAL')), 'Line 5: A TOTAL of USD stands before it.'],
    [
      'a line behind the total',
      whole + clearingCsv([{ ...LINE, message_reference: 'm3' }]).split('\n')[1],
      'Line 5: A line stands behind the TOTAL.',
    ],
    ['half a line', whole.slice(0, whole.indexOf('m2') + 20), 'Line 3: It has'],
    ['another header', whole.replace('final', 'is_final'), 'Line 1: The columns are'],
    ['nothing', '', 'The file is empty.'],
  ])('%s', (_, text, said) => {
    expect(saidOf(text)).toContain(said);
  });

  test('the same reference far apart, in two blocks', () => {
    const lines = Array.from({ length: 5_000 }, (_, at) => ({ ...LINE, message_reference: `m${at}` }));
    expect(saidOf(clearingCsv(lines))).toBe('whole');
    expect(saidOf(clearingCsv([...lines, { ...LINE, message_reference: 'm7' }]))).toBe(
      'Line 5002: The message_reference m7 stands in line 9 as well.',
    );
  });
});
