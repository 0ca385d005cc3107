/** What a bank's file must read as, or be refused with its line: the forms of each format, and real files where they are at hand. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Read } from '../../../src/reconciliation/reading/bank-file.ts';
import { StatementInvalid } from '../../../src/reconciliation/reading/bank-file.ts';
import { minorUnits } from '../../../src/reconciliation/reading/decimal.ts';
import { type CsvProfile, csvAmount } from '../../../src/reconciliation/reading/read-csv.ts';
import { AnyReader } from '../../../src/reconciliation/reading/read-file.ts';
import { checkBankFile } from '../../../src/reconciliation/runs/first-reading.ts';
import { judgeStatement } from '../../../src/reconciliation/statements/judge-statement.ts';
import { camt, partsOf } from '../../support/bank-statements.ts';

const DATA = join(import.meta.dirname, '../../../../shared/data');
const hasData = existsSync(DATA);
if (!hasData) console.warn('Skipped: the real files of banks are not at hand (../shared/data).');

function read(text: string | Buffer): Read[] {
  const reader = new AnyReader();
  const reads: Read[] = [];
  for (const part of partsOf(Buffer.from(text))) reads.push(...reader.push(part));
  return [...reads, ...reader.end()];
}
const linesOf = (text: string | Buffer) => read(text).flatMap((one) => (one.is === 'line' ? [one.line] : []));
const statementsOf = (text: string | Buffer) =>
  read(text).flatMap((one) => (one.is === 'statement' ? [one.statement] : []));

describe('camt', () => {
  test.each`
    text        | currency | amount
    ${'18.150'} | ${'EUR'} | ${1815n}
    ${'5.124'}  | ${'KWD'} | ${5124n}
    ${'27'}     | ${'JPY'} | ${27n}
    ${'27.00'}  | ${'JPY'} | ${27n}
    ${'0.5'}    | ${'EUR'} | ${50n}
    ${'18.155'} | ${'EUR'} | ${'18.155 has more decimals than EUR, which has 2.'}
    ${'1O0'}    | ${'EUR'} | ${'1O0 is no amount.'}
    ${'-5'}     | ${'EUR'} | ${'-5 is no amount.'}
    ${'1'}      | ${'DEM'} | ${'DEM is no currency of today.'}
  `('$text $currency is $amount', ({ text, currency, amount }) => {
    const units = () => minorUnits(text, { currency, separator: '.', row: 3 });
    if (typeof amount === 'bigint') expect(units()).toBe(amount);
    else expect(units).toThrow(new StatementInvalid(3, amount));
  });

  const plain = camt([{ opening: 0, entries: [{ amount: 5 }] }]);

  test('an older version says BOOK without a code, and names a party at once', () => {
    const older = plain
      .replace('<Sts><Cd>BOOK</Cd></Sts>', '<Sts>BOOK</Sts>')
      .replace('</Refs>', '</Refs><RltdPties><Dbtr><Nm>Salma</Nm></Dbtr></RltdPties>');
    expect(linesOf(older)).toMatchObject([{ standing: 'booked', counterpartyName: 'Salma' }]);
  });

  test('the amount is that of the entry, never that of its details, and all charges are kept', () => {
    const charges =
      '<Chrgs><Rcrd><Amt Ccy="JOD">0.020</Amt></Rcrd><Rcrd><Amt Ccy="JOD">0.006</Amt><ChrgInclInd>true</ChrgInclInd></Rcrd></Chrgs>';
    const text = camt([{ opening: 0, entries: [{ amount: -1_526 }] }]).replace(
      '</Refs>',
      `</Refs><Amt Ccy="JOD">1.500</Amt>${charges}`,
    );
    expect(linesOf(text)).toMatchObject([
      {
        amount: -1_526n,
        charges: [
          { amount: 20n, included: null },
          { amount: 6n, included: true },
        ],
      },
    ]);
  });

  test('the bank’s reference of a line is that of its entry, as in a notification, else that of its one transaction', () => {
    const both = camt([{ opening: 0, entries: [{ amount: 5, reference: 'E' }] }]).replace(
      '<Refs>',
      '<Refs><AcctSvcrRef>T</AcctSvcrRef>',
    );
    expect(linesOf(both)).toMatchObject([{ bankReference: 'E' }]);
    expect(linesOf(both.replace('<AcctSvcrRef>E</AcctSvcrRef>', ''))).toMatchObject([{ bankReference: 'T' }]);
  });

  test('pieces of a text join with a space', () => {
    const text = camt([{ opening: 0, entries: [{ amount: 5, text: 'one</Ustrd><Ustrd>two' }] }]);
    expect(linesOf(text)).toMatchObject([{ text: 'one two' }]);
  });

  test.each`
    what                 | text                                                               | message
    ${'a DOCTYPE'}       | ${plain.replace('?>', '?><!DOCTYPE a [<!ENTITY b "c">]>')}         | ${/DOCTYPE/}
    ${'half a file'}     | ${plain.slice(0, 700)}                                             | ${/Line \d+: .*unclosed/}
    ${'another message'} | ${'<Document><CstmrCdtTrfInitn/></Document>'}                      | ${/no camt/}
    ${'no statement'}    | ${'<Document><BkToCstmrStmt><GrpHdr/></BkToCstmrStmt></Document>'} | ${/no statement/}
    ${'too many levels'} | ${'<a>'.repeat(60)}                                                | ${/more than 50 levels/}
    ${'nothing'}         | ${''}                                                              | ${/empty/}
    ${'something else'}  | ${'Dear bank,'}                                                    | ${/It is no camt/}
  `('$what is refused whole', ({ text, message }) => {
    expect(() => read(text)).toThrow(message);
  });

  test.each`
    what                   | text                                            | detail
    ${'30 February'}       | ${plain.replaceAll('2026-11-03', '2026-02-30')} | ${'2026-02-30 is no day.'}
    ${'a letter'}          | ${plain.replaceAll('>0.005<', '>O.005<')}       | ${'O.005 is no amount.'}
    ${'neither direction'} | ${plain.replaceAll('CRDT', 'BOTH')}             | ${'It states neither CRDT nor DBIT.'}
  `('$what rejects the statement, and not its neighbour', ({ text, detail }) => {
    const neighbour = /<Stmt>.*<\/Stmt>/s.exec(plain)![0];
    const [wrong, right] = statementsOf(text.replace('</BkToCstmrStmt>', `${neighbour}</BkToCstmrStmt>`));
    expect(wrong!.fault).toMatchObject({ detail });
    expect(right).toMatchObject({ fault: null, closing: { amount: 5n } });
  });
});

describe('MT940', () => {
  const swift = (line: string, { closing = ':62F:C301231EUR0,', details = '' } = {}) =>
    [':20:X', ':25:1', ':28C:1', ':60F:C230101EUR0,', `:61:${line}`, details, closing, ''].filter(Boolean).join('\n');

  test.each`
    line                          | amount
    ${'2301010101C300,NTRFA'}     | ${30_000n}
    ${'2301010101CR335,33NTRFA'}  | ${33_533n}
    ${'2301010101DD5,NTRFA'}      | ${-500n}
    ${'2301010101RDR1,20NTRFA'}   | ${120n}
    ${'2301010101CR0,12NTRFA'}    | ${12n}
    ${'2301010101RCR204,88NTRFA'} | ${-20_488n}
    ${'230101D5,NTRFA'}           | ${-500n}
  `('$line is $amount', ({ line, amount }) => {
    expect(linesOf(swift(line))).toMatchObject([{ amount }]);
  });

  test.each`
    line                    | bookedOn        | fault
    ${'240229C1,NTRFA'}     | ${'2024-02-29'} | ${null}
    ${'230229C1,NTRFA'}     | ${undefined}    | ${'2023-02-29 is no day.'}
    ${'2303010229C1,NTRFA'} | ${undefined}    | ${'2023-02-29 is no day.'}
    ${'2601011230C1,NTRFA'} | ${'2025-12-30'} | ${null}
    ${'2512310105C1,NTRFA'} | ${'2026-01-05'} | ${null}
  `('$line is booked on $bookedOn', ({ line, bookedOn, fault }) => {
    expect(linesOf(swift(line))[0]?.bookedOn).toBe(bookedOn);
    expect(statementsOf(swift(line))[0]?.fault?.detail ?? null).toBe(fault);
  });

  test('a text that is broken over subfields and lines joins without a gap', () => {
    const details = ':86:166?00PAYMENT?20EREF+ABCDEFGHIJKLMNOPQRSTUVW?21XYZ0123456\n789?22SVWZ+Rent?32Sal?33ma?31DE02';
    expect(linesOf(swift('2301010101C1,NTRFNONREF//B1', { details }))).toMatchObject([
      {
        endToEndId: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
        bankReference: 'B1',
        counterpartyName: 'Salma',
        references: [],
      },
    ]);
  });

  test('what stands behind the closing balance is of no line', () => {
    const text = swift('2301010101C1,NTRFA').replace(':62F:C301231EUR0,', ':62F:C301231EUR0,\n:86:For all');
    expect(linesOf(text)).toMatchObject([{ text: null }]);
  });

  test('a file that ends before a closing balance is cut off', () => {
    expect(() => read(swift('2301010101C1,NTRFA', { closing: '' }))).toThrow(/Line 1: .*cut off/);
  });

  test('an MT942 is a report without balances', () => {
    const text = [
      ':20:X',
      ':25:1',
      ':28C:1',
      ':34F:EUR0,',
      ':13D:2301011200+0100',
      ':61:2301010101C1,NTRFA',
      '-',
      '',
    ].join('\n');
    expect(statementsOf(text)).toMatchObject([{ kind: 'report', currency: 'EUR', opening: null }]);
    expect(linesOf(text)).toMatchObject([{ amount: 100n }]);
  });
});

describe('BAI2', () => {
  const bai = (record: string, { currency = 'USD', status = '1', count = 4 } = {}) => {
    const amount = /^16,\d+,(\d+)/.exec(record)![1]!;
    return [
      '01,A,B,230101,0000,1,,,2/',
      `02,A,B,${status},230101,0000,${currency},2/`,
      '03,77,,010,0,,/',
      record,
      `49,${amount},${count - 1}/`,
      `98,${amount},1,${count + 1}/`,
      `99,${amount},1,${count + 3}/`,
    ].join('\n');
  };

  test.each`
    record            | currency | amounts
    ${'16,195,5000/'} | ${'USD'} | ${[5_000n]}
    ${'16,195,5000/'} | ${'JPY'} | ${[5_000n]}
    ${'16,475,5000/'} | ${'USD'} | ${[-5_000n]}
    ${'16,890,0/'}    | ${'USD'} | ${[]}
  `('$record in $currency is $amounts', ({ record, currency, amounts }) => {
    expect(linesOf(bai(record, { currency })).map(({ amount }) => amount)).toEqual(amounts);
  });

  test.each`
    status | said
    ${'4'} | ${'test'}
    ${'2'} | ${'deletion'}
    ${'3'} | ${'correction'}
  `('a group of status $status posts nothing: it is a $said', ({ status, said }) => {
    const file = checkBankFile(partsOf(Buffer.from(bai('16,195,5/', { status }))));
    const { statement, sums } = file.statements[0]!;
    expect(statement.groupStatus).toBe(said);
    const verdict = judgeStatement({ statement, sums, account: undefined, isRestated: false, pages: [] });
    expect(verdict).toMatchObject({ status: 'rejected', findings: [{ code: 'group_status' }] });
  });

  test('a slash may stand in a text, and a trailer that is wrong ends the file', () => {
    expect(linesOf(bai('16,195,5,Z,,,INV 7/8/'))).toMatchObject([{ text: 'INV 7/8' }]);
    expect(() => read(bai('16,195,5/').replace('49,5', '49,6'))).toThrow(
      /Line 5: .*states 6, and its amounts come to 5/,
    );
    expect(() => read(bai('16,195,5/', { count: 5 }))).toThrow(/records/);
    // JavaScript reads them as the numbers that are stated.
    for (const [written, records] of [
      ['0x3', '3'],
      ['3.0', '3'],
      ['03e0', '3'],
    ])
      expect(() => read(bai('16,195,5/').replace(`49,5,${records}/`, `49,5,${written}/`))).toThrow(/records/);
    expect(() => read(bai('16,195,5/').replace('98,5,1,', '98,5,0x1,'))).toThrow(/states 0x1 parts/);
    expect(linesOf(bai('16,195,5/').replace('49,5,3/', '49,5,003/'))).toHaveLength(1);
    expect(() => read(bai('16,195,5/').split('\n').slice(0, 5).join('\n'))).toThrow(/cut off/);
  });
});

describe('CSV', () => {
  const profile = { decimal: ',', group: '.' } as CsvProfile;
  test.each`
    text          | amount
    ${'-3.000'}   | ${-300_000n}
    ${'3,00'}     | ${300n}
    ${'1.234,56'} | ${123_456n}
    ${'12-'}      | ${-1_200n}
    ${'1,234.56'} | ${undefined}
    ${'1.23,4'}   | ${undefined}
    ${'1.00'}     | ${undefined}
  `('$text is $amount', ({ text, amount }) => {
    const read = () => csvAmount(text, { row: 2, profile, currency: 'EUR' });
    if (amount === undefined) expect(read).toThrow(StatementInvalid);
    else expect(read()).toBe(amount);
  });
});

describe.skipIf(!hasData)('real files', () => {
  const real = (name: string) => readFileSync(join(DATA, name));
  /** Judged on an account that stands where the statement begins. */
  const judged = (name: string, currency: string) =>
    checkBankFile(partsOf(real(name))).statements.map(({ statement, sums }) => {
      const account = {
        currency,
        openingOn: '1990-01-01',
        balance: statement.opening?.amount ?? 0n,
        reversalIndicator: 'entry',
        status: 'open',
        ...{ chainedOn: null, underWay: 0, reopened: 0 },
      } as const;
      const pages =
        statement.page === null ? [] : [{ ...statement.page, page: statement.page.number, released: false }];
      return judgeStatement({ statement, sums, account, isRestated: false, pages });
    });
  const codes = (name: string, currency: string) =>
    judged(name, currency).map(({ status, findings }) => [status, ...findings.map(({ code }) => code)].join(' '));

  test('RC is money out: the first statement of a German file foots', () => {
    const [first] = statementsOf(real('mt940/betterplace-sepa_mt9401.sta'));
    expect(first).toMatchObject({ opening: { amount: -123_471_836n }, closing: { amount: -123_762_823n } });
    const all = codes('mt940/betterplace-sepa_mt9401.sta', 'EUR');
    expect(all.filter((one) => one !== 'received' && one !== 'held statement_page_missing')).toEqual([]);
  });

  test('every statement of a Dutch month foots', () => {
    expect(new Set(codes('mt940/ASNB-mt940.txt', 'EUR'))).toEqual(new Set(['received']));
  });

  test('a statement in a currency that is no more is rejected, and those beside it are read', () => {
    const statements = statementsOf(real('mt940/cmxl-mt940.sta'));
    expect(statements[0]!.fault).toEqual({ row: 4, detail: 'DEM is no currency of today.' });
    expect(statements.slice(1).every(({ fault }) => fault === null)).toBe(true);
  });

  test('lines that do not come to the closing balance hold a statement', () => {
    expect(judged('mt940/jejik-abnamro.sta', 'EUR')[0]).toMatchObject({
      status: 'held',
      findings: [{ code: 'statement_totals', expected: '291484', actual: '87684' }, { code: 'dates_out_of_order' }],
    });
  });

  test('balances in other currencies than the account hold a statement', () => {
    expect(codes('camt/camt053.v2.minimal.xml', 'EUR')).toEqual(['held currency_differs dates_out_of_order']);
  });

  test('records that share a line: five accounts with lines, each foots', () => {
    const reads = read(real('bai2/sample3.txt'));
    const sums: { moved: bigint; said: bigint }[] = [];
    let lines: bigint[] = [];
    for (const one of reads) {
      if (one.is === 'line') lines.push(one.line.amount);
      else {
        const { opening, closing } = one.statement;
        if (lines.length > 0)
          sums.push({ moved: lines.reduce((sum, amount) => sum + amount), said: closing!.amount - opening!.amount });
        lines = [];
      }
    }
    expect(sums.map(({ said }) => said)).toEqual([-100n, -30_703n, -14_951n, -5_624n, 31_673n]);
    expect(sums.every(({ moved, said }) => moved === said)).toBe(true);
  });

  test('a BAI2 without balances is read, and says that there is no chain to check', () => {
    expect(codes('bai2/sample1.txt', 'CAD')).toEqual(['received no_balances', 'received no_balances']);
  });

  test('a notification informs', () => {
    expect(statementsOf(real('camt/camt054.v8.xml'))).toMatchObject([{ kind: 'notification' }]);
    expect(linesOf(real('camt/camt054.v8.xml')).every(({ standing }) => standing === 'pending')).toBe(true);
  });
});
