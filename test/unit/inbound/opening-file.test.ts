/** Files of opening balances: whole, or refused with the line that is wrong. */
import { expect, test } from 'vitest';
import { LINES_MAX, readOpenings } from '../../../src/inbound/openings/opening-file.ts';

const HEADER = 'account,currency,amount';
const bytes = (...lines: string[]) => Buffer.from(`${[HEADER, ...lines].join('\n')}\n`);

test('lines with their row, and the sum of each currency', () => {
  const file = readOpenings(bytes('bank,JOD,5124', 'loan,JOD,-24', 'till,JPY,500', 'TOTAL,JOD,5100', 'TOTAL,JPY,500'));
  expect(file.lines).toEqual([
    { row: 2, account: 'bank', currency: 'JOD', amount: 5_124n },
    { row: 3, account: 'loan', currency: 'JOD', amount: -24n },
    { row: 4, account: 'till', currency: 'JPY', amount: 500n },
  ]);
  expect(file.totals).toEqual([
    { currency: 'JOD', amount: 5_100n },
    { currency: 'JPY', amount: 500n },
  ]);
});

test('a byte order mark, CR LF and a blank line are fine', () => {
  const plain = bytes('bank,JOD,1', 'TOTAL,JOD,1');
  const file = readOpenings(Buffer.from(`\ufeff${HEADER}\r\n\r\nbank,JOD,1\r\nTOTAL,JOD,1\r\n`));
  expect(file.lines.map(({ account, amount }) => [account, amount])).toEqual([['bank', 1n]]);
  expect(file.totals).toEqual(readOpenings(plain).totals);
  expect(file.sha256).not.toBe(readOpenings(plain).sha256);
});

test('the longest amounts are exact', () => {
  const largest = 9_007_199_254_740_991n;
  const file = readOpenings(bytes(`a,JOD,${largest}`, `b,JOD,${largest}`, `TOTAL,JOD,${2n * largest}`));
  expect(file.totals).toEqual([{ currency: 'JOD', amount: 2n * largest }]);
});

test.each<[string, readonly string[], RegExp]>([
  ['no lines', [], /The file has no lines/],
  ['no TOTAL', ['bank,JOD,1'], /^There is no TOTAL of JOD: the file is not whole/],
  ['no TOTAL of one currency', ['a,JOD,1', 'b,JPY,1', 'TOTAL,JOD,1'], /^There is no TOTAL of JPY/],
  ['a wrong TOTAL', ['a,JOD,1', 'TOTAL,JOD,2'], /^Line 3: The TOTAL of JOD is 2, and the lines come to 1/],
  ['a TOTAL twice', ['a,JOD,1', 'TOTAL,JOD,1', 'TOTAL,JOD,1'], /^Line 4: A TOTAL of JOD stands before it/],
  ['a TOTAL of nothing', ['a,JOD,1', 'TOTAL,JOD,1', 'TOTAL,JPY,0'], /^Line 4: It is the TOTAL of JPY/],
  ['a line behind its TOTAL', ['a,JOD,1', 'TOTAL,JOD,1', 'b,JOD,1'], /^Line 4: It stands behind the TOTAL of JOD/],
  ['half a line', ['a,JOD,1', 'b,JO'], /^Line 3: It has 2 of 3 fields/],
  ['a line cut in its amount', ['a,JOD,12', 'TOTAL,JOD,1'], /^Line 3: The TOTAL of JOD is 1, and the lines come to 12/],
  ['no currency', ['a,XXQ,1', 'TOTAL,XXQ,1'], /^Line 2: XXQ is no currency/],
  [
    'a decimal',
    ['a,JOD,1.5', 'TOTAL,JOD,1'],
    /^Line 2: The amount is 1\.5, and should be a whole number of minor units/,
  ],
  ['an empty amount', ['a,JOD,', 'TOTAL,JOD,0'], /^Line 2: The amount is empty/],
  ['too much', ['a,JOD,9007199254740992', 'TOTAL,JOD,9007199254740992'], /^Line 2: .* at most 9007199254740991/],
  ['no account', [',JOD,1', 'TOTAL,JOD,1'], /^Line 2: It names no account/],
  ['an account twice', ['a,JOD,1', 'a,JOD,2', 'TOTAL,JOD,3'], /^Line 3: The account stands in line 2 as well/],
])('%s is refused', (_, lines, message) => {
  expect(() => readOpenings(bytes(...lines))).toThrow(message);
});

test('other columns, other encodings and too many lines are refused', () => {
  expect(() => readOpenings(Buffer.from('account,amount\na,1\n'))).toThrow(/The columns are account,amount/);
  expect(() => readOpenings(Buffer.from([0xff, 0xfe, 0x41]))).toThrow(/not UTF-8/);
  expect(() => readOpenings(Buffer.alloc(0))).toThrow(/The file is empty/);
  const many = Array.from({ length: LINES_MAX + 1 }, (_, index) => `a${index},JOD,1`);
  expect(() => readOpenings(bytes(...many, 'TOTAL,JOD,1'))).toThrow(/^Line 100002: A file has at most 100000 lines/);
});
