/** Reports of acquirers as files: each fault is named with its line, and nothing is taken of a file with one. */
import { describe, expect, test } from 'vitest';
import { BadInput } from '../../../src/intake/bad-input.ts';
import { checkReport, reportLines } from '../../../src/payments/paydays/check-report.ts';
import { type ReportLine, writeReport } from '../../../src/payments/paydays/report.ts';

/** The lines of a report that is whole. */
function readReport(bytes: Buffer): ReportLine[] {
  const { readAgain } = checkReport(() => [bytes]);
  return [...reportLines(readAgain, () => undefined)].flat();
}

const HEADER = 'line_id,merchant,type,reference,currency,gross,cost,net\n';
const LINES = 'A-1,book,capture,R1,JOD,25000,300,24700\nA-2,book,refund,R2,JOD,-5000,0,-5000\n';
const TOTAL = 'TOTAL,2,,,JOD,20000,300,19700\n';
const read = (text: string | Buffer) => readReport(Buffer.from(text));

test('lines are read with the lines of the file', () => {
  expect(read(HEADER + LINES + TOTAL)).toEqual([
    expect.objectContaining({ row: 2, lineId: 'A-1', type: 'capture', gross: 25_000n, cost: 300n, net: 24_700n }),
    expect.objectContaining({ row: 3, lineId: 'A-2', type: 'refund', gross: -5_000n, cost: 0n, net: -5_000n }),
  ]);
});

test('a byte order mark, other line ends, quotes and empty lines change nothing', () => {
  const plain = read(HEADER + LINES + TOTAL);
  expect(read(`\uFEFF${HEADER}${LINES}${TOTAL}`)).toEqual(plain);
  expect(read((HEADER + LINES + TOTAL).replaceAll('\n', '\r\n'))).toEqual(plain);
  expect(read((HEADER + LINES + TOTAL).replaceAll('A-1', '"A-1"'))).toEqual(plain);
  expect(read(`${HEADER}${LINES}${TOTAL}\n\n`)).toEqual(plain);
  expect(read((HEADER + LINES + TOTAL).trimEnd())).toEqual(plain);
});

test.each`
  what                            | text                                                               | message
  ${'nothing'}                    | ${''}                                                              | ${'The file is empty'}
  ${'other columns'}              | ${'line_id,gross\nA,1\n'}                                          | ${'Line 1: The columns are line_id,gross'}
  ${'neither lines nor total'}    | ${HEADER}                                                          | ${'The file ends without its TOTAL'}
  ${'a total of lines not there'} | ${`${HEADER}TOTAL,1,,,JOD,5,0,5\n`}                                | ${'Line 2: The TOTAL of JOD is 1,5,0,5, and the lines come to 0,0,0,0'}
  ${'two totals of a currency'}   | ${`${HEADER}TOTAL,0,,,JOD,0,0,0\nTOTAL,0,,,JOD,0,0,0\n`}           | ${'Line 3: A TOTAL of JOD stands before it'}
  ${'a total in no currency'}     | ${`${HEADER}TOTAL,0,,,JOO,0,0,0\n`}                                | ${'Line 2: JOO is no currency'}
  ${'a line of commas'}           | ${`${HEADER}${','.repeat(2_000_000)}\n`}                           | ${'Line 2: It has more than 65536 bytes'}
  ${'a header of commas'}         | ${','.repeat(2_000_000)}                                           | ${'Line 1: It has more than 65536 bytes'}
  ${'a column too many'}          | ${HEADER + LINES.replace('24700', '24700,') + TOTAL}               | ${'Line 2: It has 9 of 8 fields'}
  ${'a text without an end'}      | ${`${HEADER}A-1,${'x'.repeat(2_000_000)}`}                         | ${'Line 2: It has more than 65536 bytes'}
  ${'a quoted text without one'}  | ${`${HEADER}A-1,"${'x'.repeat(2_000_000)}"`}                       | ${'Line 2: It has more than 65536 bytes'}
  ${'a quote within a field'}     | ${HEADER + LINES.replace('book', 'bo"ok') + TOTAL}                 | ${'Line 2: Invalid Opening Quote'}
  ${'text behind a quote'}        | ${HEADER + LINES.replace('book', '"bo"ok') + TOTAL}                | ${'Line 2: Invalid Closing Quote'}
  ${'no total'}                   | ${HEADER + LINES}                                                  | ${'Line 3: The file ends without its TOTAL'}
  ${'a total of another sum'}     | ${HEADER + LINES + TOTAL.replace('20000', '20001')}                | ${'Line 4: The TOTAL of JOD'}
  ${'a total of another count'}   | ${HEADER + LINES + TOTAL.replace(',2,', ',3,')}                    | ${'Line 4: The TOTAL of JOD'}
  ${'a total of other lines'}     | ${HEADER + LINES + TOTAL + TOTAL.replace('JOD', 'USD')}            | ${'Line 5: The TOTAL of USD'}
  ${'lines without their total'}  | ${`${HEADER}${LINES}A-3,b,capture,R,USD,1,0,1\n${TOTAL}`}          | ${'There is no TOTAL of USD'}
  ${'a line behind the total'}    | ${HEADER + LINES + TOTAL + LINES.replaceAll('A-', 'B-')}           | ${'Line 5: A line stands behind the TOTAL'}
  ${'half a line'}                | ${`${HEADER}A-1,book,capture,R1`}                                  | ${'Line 2: It has 4 of 8 fields'}
  ${'half a total'}               | ${HEADER + LINES + TOTAL.slice(0, -4)}                             | ${'Line 4: The TOTAL of JOD'}
  ${'an open quote'}              | ${`${HEADER}"A-1,book,capture`}                                    | ${'Line '}
  ${'a fraction'}                 | ${HEADER + LINES.replace('25000', '25.000') + TOTAL}               | ${'Line 2: The gross is 25.000'}
  ${'a net of another sum'}       | ${HEADER + LINES.replace('24700', '24701') + TOTAL}                | ${'Line 2: The net is 24701, and gross less cost is 24700'}
  ${'a capture below zero'}       | ${`${HEADER}A-1,b,capture,R,JOD,-1,0,-1\nTOTAL,1,,,JOD,-1,0,-1\n`} | ${'Line 2: The gross of a capture is more than zero'}
  ${'a type that nobody knows'}   | ${HEADER + LINES.replace('refund', 'gift') + TOTAL}                | ${'Line 3: The type is gift'}
  ${'a currency that is none'}    | ${(HEADER + LINES + TOTAL).replaceAll('JOD', 'JOO')}               | ${'Line 2: JOO is no currency'}
  ${'a line_id twice'}            | ${(HEADER + LINES + TOTAL).replace('A-2', 'A-1')}                  | ${'Line 3: The line_id A-1 stands in line 2 as well'}
  ${'bytes that are no UTF-8'}    | ${Buffer.from([0x6c, 0xff])}                                       | ${'The file is not UTF-8'}
`('$what: $message', ({ text, message }) => {
  expect(() => read(text)).toThrow(BadInput);
  expect(() => read(text)).toThrow(message);
});

test('a day without transactions is a TOTAL of 0 lines, and a currency without any may have one', () => {
  expect(read(`${HEADER}TOTAL,0,,,JOD,0,0,0\n`)).toEqual([]);
  expect(read(`${HEADER}TOTAL,0,,,JOD,0,0,0\nTOTAL,0,,,USD,0,0,0\n`)).toEqual([]);
  expect(read(`${HEADER}${LINES}${TOTAL}TOTAL,0,,,USD,0,0,0\n`)).toHaveLength(2);
});

test('lines are counted as an editor shows them, within quotes too', () => {
  const quoted = `\n\n"A-1","a ""b"", c",capture,"R\r\n1",JOD,25000,300,24700\n`;
  expect(() => read(HEADER + quoted + TOTAL)).toThrow('Line 4: The reference is no text');
  const after = HEADER + quoted.replace('R\r\n1', 'R1') + LINES.replace('A-2', 'A-1') + TOTAL;
  expect(() => read(after)).toThrow('Line 5: The line_id A-1 stands in line 4 as well');
  const name = HEADER + quoted.replace('c"', 'c\r\n"').replace('R\r\n1', 'R1') + LINES.replace('A-2', 'A-1');
  expect(() => read(name + TOTAL)).toThrow('Line 4: The merchant');
  expect(() => read(after.replaceAll('\n', '\r'))).toThrow('Line 5: The line_id A-1 stands in line 4 as well');
});

describe('every place at which a file may be cut off', () => {
  const whole = HEADER + LINES + TOTAL;
  test('is refused, but for the end of its last line', () => {
    for (let length = 0; length < whole.length - 1; length++)
      expect(() => read(whole.slice(0, length)), String(length)).toThrow(BadInput);
  });
});

test('what is written is read again, in several currencies', () => {
  const line = (lineId: string, currency: string, gross: bigint, cost: bigint) =>
    ({
      lineId,
      merchant: 'a "quoted", one',
      type: gross > 0n ? 'capture' : 'refund',
      reference: 'R',
      currency,
      gross,
      cost,
    }) as const;
  const lines = [line('1', 'JOD', 5n, 1n), line('2', 'USD', 7n, 0n), line('3', 'JOD', -9n, 0n)];
  expect(readReport(writeReport(lines))).toEqual(
    lines.map((one, at) => ({ ...one, row: at + 2, net: one.gross - one.cost })),
  );
});
