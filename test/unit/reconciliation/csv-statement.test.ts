import { expect, test } from 'vitest';
import type { Read } from '../../../src/reconciliation/reading/bank-file.ts';
import { type CsvProfile, CsvStatementReader, readCsvStatement } from '../../../src/reconciliation/reading/read-csv.ts';

const PROFILE: CsvProfile = {
  delimiter: ';',
  encoding: 'utf-8',
  skip: 2,
  columns: { booked_on: 'Tag', amount: 'Betrag', balance: 'Saldo', counterparty: 'Wer', text: ['Zweck'] },
  decimal: ',',
  group: '.',
  dateFormat: 'DD.MM.YYYY',
  account: 'DE02',
  currency: 'EUR',
};

const LINES = [
  '"Kontoauszug',
  'Nr. 7"',
  'Tag;Wer;Zweck;Betrag;Saldo',
  '30.10.2026;Müller;"Miete\r\nOktober";-1.234,56;8.765,44',
  '',
  '31.10.2026;Meier;"Rechnung ""7""";100,00;8.865,44',
  '31.10.2026;Čapek;€ 1;1,00;8.866,44',
];
const TEXT = LINES.join('\r\n');

const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

/** Read with a part of so many bytes at a time. */
function readBy(bytes: Buffer, size: number, profile: CsvProfile): Read[] {
  const reader = new CsvStatementReader(profile);
  const reads: Read[] = [];
  for (let at = 0; at < bytes.length; at += size) reads.push(...reader.push(bytes.subarray(at, at + size)));
  return [...reads, ...reader.end()];
}

const statementOf = (reads: readonly Read[]) =>
  reads.flatMap((read) => (read.is === 'statement' ? [read.statement] : []))[0]!;
const linesOf = (reads: readonly Read[]) => reads.flatMap((read) => (read.is === 'line' ? [read.line] : []));

test('lines are given as they are read, and the statement behind them', () => {
  const reader = new CsvStatementReader(PROFILE);
  const [before, last] = [LINES.slice(0, 6).join('\r\n'), LINES[6]!];
  expect(linesOf(reader.push(Buffer.from(`${before}\r\n`))).map(({ row, amount }) => [row, amount])).toEqual([
    [4, -123_456n],
    [7, 10_000n],
  ]);
  expect(reader.push(Buffer.from(last))).toEqual([]);
  const rest = reader.end();
  expect(rest.map(({ is }) => is)).toEqual(['line', 'statement']);
  expect(statementOf(rest)).toMatchObject({
    from: '2026-10-30',
    to: '2026-10-31',
    opening: { amount: 1_000_000n, on: '2026-10-30' },
    closing: { amount: 886_644n, on: '2026-10-31' },
  });
});

test.each([
  ['utf-8', Buffer.from(TEXT)],
  ['utf-8', Buffer.from(`\ufeff${TEXT}`)],
  ['utf-16le', Buffer.from(`\ufeff${TEXT}`, 'utf16le')],
  ['utf-16be', utf16be(`\ufeff${TEXT}`)],
] as const)('a file in %s reads the same in whatever parts it comes', (encoding, bytes) => {
  const profile = { ...PROFILE, encoding };
  const whole = readCsvStatement(bytes, profile);
  expect(linesOf(whole).map(({ text, counterpartyName }) => [text, counterpartyName])).toEqual([
    ['Miete\r\nOktober', 'Müller'],
    ['Rechnung "7"', 'Meier'],
    ['€ 1', 'Čapek'],
  ]);
  for (const size of [1, 2, 3, 7, 64]) expect(readBy(bytes, size, profile)).toEqual(whole);
});

test.each([
  ['newest first', [3, 2, 1], [900n, 1_500n]],
  ['newest last', [1, 2, 3], [900n, 1_500n]],
  ['of one line', [1], [900n, 1_000n]],
])('balances of a file %s state where the account stood', (_, order, ends) => {
  const rows = [undefined, '01.10.2026;A;t;1,00;10,00', '02.10.2026;A;t;2,00;12,00', '03.10.2026;A;t;3,00;15,00'];
  const text = ['Tag;Wer;Zweck;Betrag;Saldo', ...order.map((at) => rows[at])].join('\n');
  const { opening, closing } = statementOf(readCsvStatement(Buffer.from(text), { ...PROFILE, skip: 0 }));
  expect([opening?.amount, closing?.amount]).toEqual(ends);
});

test.each([
  [
    'a line that is missing',
    'Tag;Wer;Zweck;Betrag;Saldo\n01.10.2026;A;t;1,00;10,00\n03.10.2026;A;t;3,00;15,00',
    3,
    /balance does not follow/,
  ],
  ['no header', '', null, /no header/],
  ['a cut row', 'Tag;Wer;Zweck;Betrag;Saldo\n01.10.2026;A;t', 2, /3 of 5 fields/],
  ['quotes that do not end', 'Tag;Wer;Zweck;Betrag;Saldo\n01.10.2026;"A;t', 2, /Quote/],
  ['bytes that are not UTF-8', Buffer.from([0x54, 0xff, 0x0a]), null, /not utf-8/],
  ['a character that is cut off', Buffer.from([0x54, 0xc3]), null, /not utf-8/],
])('%s is refused', (_, content, row, message) => {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const profile = { ...PROFILE, skip: 0 };
  const refused = expect.objectContaining({ name: 'BadInput', row, message: expect.stringMatching(message) });
  for (const size of [1, bytes.length + 1]) expect(() => readBy(bytes, size, profile)).toThrow(refused);
});

test('a file that is over before its header is refused', () => {
  const skipped = expect.objectContaining({
    name: 'BadInput',
    row: null,
    message: expect.stringMatching(/no 2 lines before its header/),
  });
  for (const size of [1, 8]) expect(() => readBy(Buffer.from('Tag;Wer'), size, PROFILE)).toThrow(skipped);
});
