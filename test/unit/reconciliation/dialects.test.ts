/** Dialects of banks: what else each format may look like, and what is refused rather than read as another amount. */
import { describe, expect, test } from 'vitest';
import type { Read } from '../../../src/reconciliation/reading/bank-file.ts';
import type { CsvColumns, CsvProfile } from '../../../src/reconciliation/reading/read-csv.ts';
import { AnyReader } from '../../../src/reconciliation/reading/read-file.ts';
import { camt, partsOf } from '../../support/bank-statements.ts';

function read(text: string | Buffer, profile?: CsvProfile): Read[] {
  const reader = new AnyReader(profile);
  const reads: Read[] = [];
  for (const part of partsOf(Buffer.from(text))) reads.push(...reader.push(part));
  return [...reads, ...reader.end()];
}
const linesOf = (text: string | Buffer, profile?: CsvProfile) =>
  read(text, profile).flatMap((one) => (one.is === 'line' ? [one.line] : []));
const statementOf = (text: string | Buffer) =>
  read(text).flatMap((one) => (one.is === 'statement' ? [one.statement] : []))[0]!;

describe('MT940', () => {
  const LINE = ':61:2611031103C5,00NTRFNONREF//B1';
  const swift = (lines: readonly string[], { account = ':25:NL81ASNB9999999999', end = '\r\n' } = {}) =>
    [':20:X', account, ':28C:1/1', ':60F:C261102EUR100,00', ...lines, ':62F:C261103EUR105,00', '-', ''].join(end);

  test.each`
    written                                  | account
    ${':25P:NL81ASNB9999999999\r\nASNBNL21'} | ${'NL81ASNB9999999999'}
    ${':25:NL81ASNB9999999999 EUR'}          | ${'NL81ASNB9999999999'}
    ${':25:NL91ABNA0417164300EUR'}           | ${'NL91ABNA0417164300'}
    ${':25:10020030/1234567'}                | ${'10020030/1234567'}
  `('$written is account $account', ({ written, account }) => {
    expect(statementOf(swift([LINE], { account: written }))).toMatchObject({ account });
  });

  test.each(['\n', '\r\n', '\r', '\r\r\n'])('lines that end with %j', (end) => {
    const text = swift([LINE, ':86:one', 'two'], { end });
    expect(linesOf(text)).toMatchObject([{ row: 5, amount: 500n, bankReference: 'B1', text: 'one two' }]);
    expect(statementOf(text)).toMatchObject({ closing: { amount: 10_500n } });
  });

  test.each([
    ':61:2611031103C5.50NTRFNONREF',
    ':61:2611031103C,50NTRFNONREF',
    ':61:2611031103C5,00'.replace('5', '5 '),
  ])('%s is refused, and not read as another amount', (line) => {
    expect(statementOf(swift([line])).fault?.detail).toMatch(/is no line of a statement/);
  });

  test('what is expected is not booked', () => {
    const lines = linesOf(swift([':61:2611031103EC5,00NTRFA', ':61:2611031103ED2,00NTRFB']));
    expect(lines).toMatchObject([
      { standing: 'pending', amount: 500n },
      { standing: 'pending', amount: -200n },
    ]);
  });

  test.each`
    bank         | details                                                                                       | name          | account                 | endToEndId
    ${'ABN'}     | ${'/TRTP/SEPA/IBAN/NL91ABNA0417164300/BIC/ABNANL2A/NAME/J JANSEN/REMI/INVOICE 12/EREF/INV-9'} | ${'J JANSEN'} | ${'NL91ABNA0417164300'} | ${'INV-9'}
    ${'ING'}     | ${'/EREF/INV-9//CNTP/NL91ABNA0417164300/ABNANL2A/J JANSEN///REMI/USTD//INVOICE 12/'}          | ${'J JANSEN'} | ${'NL91ABNA0417164300'} | ${'INV-9'}
    ${'Rabo'}    | ${'/EREF/NOTPROVIDED/ORDP//NAME/J JANSEN/REMI/INVOICE 12/ISDT/2026-11-03'}                    | ${'J JANSEN'} | ${null}                 | ${null}
    ${'no code'} | ${'/INVOICE/12'}                                                                              | ${null}       | ${null}                 | ${null}
  `('details between slashes: $bank', ({ details, name, account, endToEndId }) => {
    const broken = [`:86:${details.slice(0, 65)}`, ...(details.length > 65 ? [details.slice(65)] : [])];
    expect(linesOf(swift([LINE, ...broken]))).toMatchObject([
      { counterpartyName: name, counterpartyAccount: account, endToEndId },
    ]);
  });

  test('that the details have the reference is no reference', () => {
    const lines = linesOf(swift([':61:2611031103D5,00NTRFKREF+//B1', ':86:191?00SEPA?20KREF+F1?21SVWZ+Wages']));
    expect(lines).toMatchObject([{ references: ['F1'], endToEndId: null }]);
  });
});

describe('camt', () => {
  const plain = camt([{ opening: 0, entries: [{ amount: 5, charge: 1 }] }]);

  test('a document in the envelope of a network', () => {
    const inside = plain.replace(/<\?xml.*\?>\n/, '');
    expect(linesOf(`<BizMsg><AppHdr><Fr>A</Fr></AppHdr>${inside}</BizMsg>`)).toMatchObject([{ amount: 5n }]);
  });

  test.each`
    text       | amount
    ${'.005'}  | ${5n}
    ${'+.005'} | ${5n}
    ${'5.'}    | ${5_000n}
  `('$text is a decimal of XML', ({ text, amount }) => {
    expect(linesOf(plain.replace('<Ntry><Amt Ccy="JOD">0.005<', `<Ntry><Amt Ccy="JOD">${text}<`))).toMatchObject([
      { amount },
    ]);
  });

  test('charges that entry and movement both state are one', () => {
    const charges = /<Chrgs>.*<\/Chrgs>/.exec(plain)![0];
    const both = plain.replace('</Refs>', `</Refs>${charges}`);
    expect(linesOf(both)[0]!.charges).toEqual([{ amount: 1n, currency: 'JOD', included: true }]);
    const total = plain.replace(charges, '<Chrgs><TtlChrgsAndTaxAmt Ccy="JOD">0.002</TtlChrgsAndTaxAmt></Chrgs>');
    expect(linesOf(total)[0]!.charges).toEqual([{ amount: 2n, currency: 'JOD', included: null }]);
  });

  test.each(['PDNG', 'INFO', 'FUTR'])('an entry that is %s is not booked', (status) => {
    expect(linesOf(plain.replace('<Cd>BOOK</Cd>', `<Cd>${status}</Cd>`))).toMatchObject([{ standing: 'pending' }]);
  });
});

describe('BAI2', () => {
  const bai = (records: readonly string[], modifier = '2') => {
    const count = records.length + 2;
    return [
      ...[
        '01,A,B,261103,0000,1,,,2/',
        `02,A,B,1,261103,0000,USD,${modifier}/`,
        '03,77,,010,0,,,015,5000,,/',
        ...records,
      ],
      ...[`49,10000,${count}/`, `98,10000,1,${count + 2}/`, `99,10000,1,${count + 4}/`],
    ].join('\n');
  };

  test.each`
    records                                                      | references | text                      | valueOn
    ${['16,195,5000,S,1000,2000,2000,B1,C1,TEXT/']}              | ${['C1']}  | ${'TEXT'}                 | ${null}
    ${['16,195,5000,D,2,0,1000,1,4000,B1,C1,TEXT/']}             | ${['C1']}  | ${'TEXT'}                 | ${null}
    ${['16,195,5000,0,B1,C1,TEXT/']}                             | ${['C1']}  | ${'TEXT'}                 | ${null}
    ${['16,195,5000,Z,B1,C1/', '88,TEXT GOES, ON/']}             | ${['C1']}  | ${'TEXT GOES, ON'}        | ${null}
    ${['16,195,5000,V,261104/', '88,0000,B1,C1,TEXT/']}          | ${['C1']}  | ${'TEXT'}                 | ${'2026-11-04'}
    ${['16,195,5000,Z,B1,C1,TEXT', '88,GOES, AND/OR', '88,ON/']} | ${['C1']}  | ${'TEXT GOES, AND/OR ON'} | ${null}
    ${['16,925,5000,Z,B1,C1,TEXT/']}                             | ${['C1']}  | ${'TEXT'}                 | ${null}
  `('$records', ({ records, references, text, valueOn }) => {
    expect(linesOf(bai(records))).toMatchObject([{ amount: 5_000n, bankReference: 'B1', references, text, valueOn }]);
  });

  test('what is interim of the same day reports, and what is final states', () => {
    const record = ['16,195,5000,Z,B1,C1,TEXT/'];
    expect([bai(record, '3'), bai(record, '4'), bai(record, '')].map((text) => statementOf(text).kind)).toEqual([
      'report',
      'statement',
      'statement',
    ]);
  });
});

describe('numbers of camt are digits (ISO 20022, Max5NumericText and Max15NumericText)', () => {
  const file = camt([{ opening: 0, entries: [{ amount: 5, batch: { id: 'B', transactions: 7 } }] }]);
  const paged = (number: string) =>
    file.replace(
      '</ElctrncSeqNb>',
      `</ElctrncSeqNb><StmtPgntn><PgNb>${number}</PgNb><LastPgInd>true</LastPgInd></StmtPgntn>`,
    );

  test.each`
    written   | page
    ${'2'}    | ${2}
    ${'0002'} | ${2}
    ${'0x2'}  | ${undefined}
    ${'2.0'}  | ${undefined}
    ${'+2'}   | ${undefined}
  `('page $written is $page', ({ written, page }) => {
    expect(statementOf(paged(written)).page?.number).toBe(page);
  });

  test.each`
    written  | transactions
    ${'07'}  | ${7}
    ${'1e1'} | ${null}
    ${'0x7'} | ${null}
    ${'7.0'} | ${null}
  `('$written transactions are $transactions', ({ written, transactions }) => {
    const [line] = linesOf(file.replace('<NbOfTxs>7<', `<NbOfTxs>${written}<`));
    expect(line!.batch).toEqual({ id: 'B', transactions });
  });
});

describe('CSV', () => {
  const profile = (columns: Partial<CsvColumns>): CsvProfile => ({
    ...({ delimiter: ';', encoding: 'utf-8', skip: 0, decimal: ',', group: '.', dateFormat: 'DD.MM.YYYY' } as const),
    ...{ columns: { booked_on: 'Day', text: ['Text'], ...columns }, account: 'A', currency: 'EUR' },
  });
  const TWO = profile({ debit: 'Debit', credit: 'Credit' });
  const SIGNED = profile({ amount: 'Amount', sign: 'Sign' });
  const ONE = profile({ amount: 'Amount' });

  test.each`
    file                                                            | by        | amount
    ${'Day;Debit;Credit;Text\n03.11.2026;0,00;3,00;A'}              | ${TWO}    | ${300n}
    ${'Day;Debit;Credit;Text\n03.11.2026;4,00;0,00;A'}              | ${TWO}    | ${-400n}
    ${'Day;Debit;Credit;Text\n03.11.2026;-4,00;;A'}                 | ${TWO}    | ${-400n}
    ${'Day;Debit;Credit;Text\n03.11.2026;4,00;1,00;A'}              | ${TWO}    | ${/Line 2: It has a debit and a credit/}
    ${'Day;Debit;Credit;Text\n03.11.2026;;;A'}                      | ${TWO}    | ${/Line 2: It has neither/}
    ${'Day;Amount;Sign;Text\n03.11.2026;4,00;S;A'}                  | ${SIGNED} | ${-400n}
    ${'Day;Amount;Sign;Text\n03.11.2026;-4,00;S;A'}                 | ${SIGNED} | ${/Line 2: Its amount has a sign of its own/}
    ${'Day;Amount;Text\n03.11.2026;(1.234,56);A'}                   | ${ONE}    | ${-123_456n}
    ${'Day;Amount;Text\n03.11.2026;\u22123,00;A'}                   | ${ONE}    | ${-300n}
    ${'Day;Amount;Text\n03.11.2026;125'}                            | ${ONE}    | ${/Line 2: It has 2 of 3 fields: the file is cut off/}
    ${'Day;Amount;Amount;Text\n03.11.2026;1,00;2,00;A'}             | ${ONE}    | ${/Line 1: There are several columns Amount/}
    ${'\ufeffDay;Amount;Text;\r\n03.11.2026;"3,00";"A; ""B"""\r\n'} | ${ONE}    | ${300n}
  `('$file is $amount', ({ file, by, amount }) => {
    if (typeof amount === 'bigint') expect(linesOf(file, by)).toMatchObject([{ amount }]);
    else expect(() => read(file, by)).toThrow(amount);
  });

  /** A quote without an end behind what is wrong: whoever had read so far would say that. */
  test.each`
    what                            | file                                                                | said
    ${'a header of 65,000 columns'} | ${`Day;Amount;Text${';'.repeat(64_997)}\n${';'.repeat(65_000)}\n"`} | ${/Line 1: It has 65000 columns; a CSV has at most 1000/}
    ${'another header'}             | ${'Day;Sum;Text\n03.11.2026;1,00;A\n"'}                             | ${/Line 1: There is no column Amount/}
    ${'a row of 65,000 fields'}     | ${`Day;Amount;Text\n${';'.repeat(65_000)}\n"`}                      | ${/Line 2: It has 65001 of 3 fields/}
    ${'a row that is cut off'}      | ${'Day;Amount;Text\n03.11.2026;1,00\n"'}                            | ${/Line 2: It has 2 of 3 fields/}
    ${'a row without a day'}        | ${'Day;Amount;Text\n;;\n"'}                                         | ${/Line 2: .* is no day/}
  `('nothing is read behind $what', ({ file, said }) => {
    expect(() => read(file, ONE)).toThrow(said);
  });
});
