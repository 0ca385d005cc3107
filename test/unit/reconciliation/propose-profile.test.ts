/** Profiles that are proposed for CSV files of banks: one where one fits, a question where two do, a reason where none does. */
import { expect, test } from 'vitest';
import { BadInput } from '../../../src/intake/bad-input.ts';
import { type Answers, proposeProfile } from '../../../src/reconciliation/profiles/propose-profile.ts';
import { readCsvStatement } from '../../../src/reconciliation/reading/read-csv.ts';

const propose = (text: string | Buffer, { currency = 'EUR', ...answers }: Answers & { currency?: string } = {}) =>
  proposeProfile(Buffer.from(text), { currency, answers });

/** What is proposed, or what is asked. */
function said(text: string | Buffer, answers: Parameters<typeof propose>[1] = {}) {
  const proposed = propose(text, answers);
  return proposed.is === 'profile'
    ? proposed.form
    : proposed.questions.map(({ about, choices }) => [
        about,
        ...choices.map(({ value, reads }) => `${value}: ${reads}`),
      ]);
}

/** Amounts and days as the proposed profile reads them. */
function readsAs(text: string | Buffer, currency = 'EUR') {
  const proposed = propose(text, { currency });
  if (proposed.is !== 'profile') throw new Error(JSON.stringify(proposed));
  const reads = readCsvStatement(Buffer.from(text), { ...proposed.form, account: 'A', currency });
  return reads.flatMap((read) => (read.is === 'line' ? [`${read.line.bookedOn} ${read.line.amount}`] : []));
}

const GERMAN = [
  'Kontoauszug;DE02',
  'Zeitraum;Oktober 2026',
  'Buchungstag;Wertstellung;Auftraggeber/Empfänger;Verwendungszweck;Betrag;Währung;Saldo',
  '30.10.2026;30.10.2026;Müller;Miete;-1.234,56;EUR;8.765,44',
  '31.10.2026;02.11.2026;Meier;Rechnung 7;100,00;EUR;8.865,44',
  '',
].join('\n');

test.each([
  ['utf-8', Buffer.from(GERMAN)],
  ['windows-1252', Buffer.from(GERMAN, 'latin1')],
  ['utf-16le', Buffer.from(`\ufeff${GERMAN}`, 'utf16le')],
  ['utf-16le', Buffer.from(GERMAN, 'utf16le')],
  ['utf-16be', Buffer.from(`\ufeff${GERMAN}`, 'utf16le').swap16()],
])('a German export in %s', (encoding, bytes) => {
  expect(said(bytes)).toEqual({
    ...{ delimiter: ';', encoding, skip: 2, decimal: ',', group: '.', dateFormat: 'DD.MM.YYYY' },
    columns: {
      ...{
        booked_on: 'Buchungstag',
        value_on: 'Wertstellung',
        amount: 'Betrag',
        currency: 'Währung',
        balance: 'Saldo',
      },
      ...{ counterparty: 'Auftraggeber/Empfänger', text: ['Verwendungszweck'] },
    },
  });
  expect(readsAs(bytes)).toEqual(['2026-10-30 -123456', '2026-10-31 10000']);
});

test('a debit and a credit column, and a column of signs', () => {
  const two = 'Date,Debit,Credit,Details\n2026-10-30,1234.56,,Rent\n2026-10-31,,100.00,Invoice\n';
  expect(said(two)).toMatchObject({ delimiter: ',', columns: { debit: 'Debit', credit: 'Credit' }, decimal: '.' });
  expect(readsAs(two)).toEqual(['2026-10-30 -123456', '2026-10-31 10000']);
  const signed = 'Date\tAmount\tS/H\n2026-10-30\t1234.56\tS\n2026-10-31\t100.00\tH\n';
  expect(said(signed)).toMatchObject({ delimiter: '\t', columns: { amount: 'Amount', sign: 'S/H' } });
  expect(readsAs(signed)).toEqual(['2026-10-30 -123456', '2026-10-31 10000']);
});

test('an Arabic export', () => {
  const text = 'التاريخ,البيان,مدين,دائن,الرصيد\n30/10/2026,إيجار,0.500,,8.500\n31/10/2026,فاتورة,,2.000,10.500\n';
  expect(said(text, { currency: 'JOD' })).toMatchObject({
    columns: { booked_on: 'التاريخ', debit: 'مدين', credit: 'دائن', balance: 'الرصيد', text: ['البيان'] },
  });
  expect(readsAs(text, 'JOD')).toEqual(['2026-10-30 -500', '2026-10-31 2000']);
});

test('where two signs fit before the decimals, it asks; where one says more decimals than the currency has, it does not', () => {
  const text = 'Day;Amount\n2026-10-30;1,234\n2026-10-31;2,500\n';
  expect(said(text, { currency: 'JOD' })).toEqual([['decimal', '.: 1,234 is 1234.000 JOD', ',: 1,234 is 1.234 JOD']]);
  expect(said(text, { currency: 'JOD', decimal: ',' })).toMatchObject({ decimal: ',', group: null });
  expect(said(text, { currency: 'EUR' })).toMatchObject({ decimal: '.', group: ',' });
});

test('where every day is one of both forms, it asks', () => {
  const text = 'Date;Amount\n03/04/2026;1.00\n05/05/2026;2.00\n';
  expect(said(text)).toEqual([
    ['date_format', 'DD/MM/YYYY: 03/04/2026 is 2026-04-03', 'MM/DD/YYYY: 03/04/2026 is 2026-03-04'],
  ]);
  expect(said(text, { dateFormat: 'MM/DD/YYYY' })).toMatchObject({ dateFormat: 'MM/DD/YYYY' });
  expect(said(`${text}13/05/2026;1.00\n`)).toMatchObject({ dateFormat: 'DD/MM/YYYY' });
});

test('columns that no heading tells apart are asked for', () => {
  const text = 'A;B;C;D\n2026-10-30;2026-11-02;1.00;9.00\n2026-10-31;2026-11-02;2.00;11.00\n';
  expect(said(text)).toEqual([
    ['booked_on', 'A: its first row has 2026-10-30', 'B: its first row has 2026-11-02'],
    ['amount', 'C: its first row has 1.00', 'D: its first row has 9.00'],
  ]);
  expect(said(text, { bookedOn: 'A', amount: 'C' })).toMatchObject({ columns: { booked_on: 'A', amount: 'C' } });
});

test.each`
  why                               | text                                                                   | says
  ${'no day'}                       | ${'Name;Amount\nX;1.00\n'}                                             | ${/No line of it is a header/}
  ${'no form of days fits all'}     | ${'Date;Amount\n2026-10-30;1.00\n30.10.2026;2.00\n'}                   | ${/No line of it is a header/}
  ${'a letter in an amount'}        | ${'Date;Amount\n2026-10-30;1.00\n2026-10-31;2x\n'}                     | ${/No line of it is a header/}
  ${'no sign fits all amounts'}     | ${'Date;Amount\n2026-10-30;1.00\n2026-10-31;1,5\n'}                    | ${/Line 3: 1,5 is no amount/}
  ${'an empty file'}                | ${''}                                                                  | ${/No line of it is a header/}
  ${'a balance that does not foot'} | ${'Date;Amount;Balance\n2026-10-30;1.00;5.00\n2026-10-31;2.00;9.00\n'} | ${/Line 3: .*lines are missing/}
`('none fits: $why', ({ text, says }) => {
  expect(() => propose(text as string)).toThrow(says as RegExp);
  expect(() => propose(text as string)).toThrow(BadInput);
});

test('balances state where the account stood, whichever line comes first', () => {
  const rows = ['2026-10-30;5.00;105.00', '2026-10-31;-2.00;103.00'];
  const read = (lines: readonly string[]) => {
    const text = ['Date;Amount;Balance', ...lines, ''].join('\n');
    const proposed = propose(text);
    if (proposed.is !== 'profile') throw new Error('It asks.');
    const reads = readCsvStatement(Buffer.from(text), { ...proposed.form, account: 'A', currency: 'EUR' });
    const { opening, closing } = reads.flatMap((one) => (one.is === 'statement' ? [one.statement] : []))[0]!;
    return [opening, closing];
  };
  const ends = [
    { amount: 10_000n, on: '2026-10-30' },
    { amount: 10_300n, on: '2026-10-31' },
  ];
  expect(read(rows)).toEqual(ends);
  expect(read(rows.toReversed())).toEqual(ends);
});
