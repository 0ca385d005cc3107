/** CSV that we write: what a reader gets back, and what a spreadsheet takes as text. */
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  CSV_BOM,
  CSV_TYPE,
  type CsvColumn,
  csvHeader,
  csvRow,
  withoutFormula,
} from '../../../src/values/csv-writing.ts';

interface Row {
  name: string;
  amount: bigint;
  note: string | null;
}

const COLUMNS: readonly CsvColumn<Row>[] = [
  { name: 'name', is: 'text', read: ({ name }) => name },
  { name: 'amount', is: 'plain', read: ({ amount }) => amount },
  { name: 'note', is: 'plain', read: ({ note }) => note },
];

test.each([
  ['=1+1', "'=1+1"],
  ['+962 7', "'+962 7"],
  ['-5', "'-5"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['  =1', "'  =1"],
  ['＝1', "'＝1"],
  ['\nx', "'\nx"],
  ['a=b', 'a=b'],
  ['', ''],
  ['مرحبا', 'مرحبا'],
])('of a text %j a spreadsheet gets %j', (text, written) => {
  expect(withoutFormula(text)).toBe(written);
});

test('numbers and codes are never escaped, texts are', () => {
  const row = { name: '=x', amount: -5n, note: null };
  expect(csvHeader(COLUMNS)).toBe('name,amount,note\r\n');
  expect(csvRow(COLUMNS, row)).toBe("'=x,-5,\r\n");
});

test('whatever a text has, a reader gets it back, and rows keep their columns', () => {
  const text = fc.string({ unit: 'binary' });
  const row = fc.record({ name: text, amount: fc.bigInt(), note: fc.option(text) });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (rows) => {
      const file = csvHeader(COLUMNS) + rows.map((one) => csvRow(COLUMNS, one)).join('');
      expect(parse(file, { columns: true, record_delimiter: '\r\n' })).toEqual(
        rows.map(({ name, amount, note }) => ({
          ...{ name: withoutFormula(name), amount: String(amount), note: note ?? '' },
        })),
      );
    }),
  );
});

test('a file may begin with a mark of its encoding, which its media type names too', () => {
  const file = `${CSV_BOM}${csvHeader(COLUMNS)}`;
  expect(Buffer.from(file).subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
  expect(parse(file, { columns: true, bom: true })).toEqual([]);
  expect(CSV_TYPE).toBe('text/csv; charset=utf-8');
});
