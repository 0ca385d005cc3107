import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import type { BankLine, EntryLine, StatusLine } from '../../../../src/rails/iso20022/bank-line.ts';
import { type BankInstruction, meaningOfEntry, meaningOfStatus } from '../../../../src/rails/iso20022/match-line.ts';
import { BankFileReader } from '../../../../src/rails/iso20022/read-bank-file.ts';
import { camt054, hasSharedData, pain002, SHARED_DATA, schemaOf } from '../../../support/bank-files.ts';

function readBankFile(parts: Iterable<Buffer>, onLine: (line: BankLine) => void): void {
  const reader = new BankFileReader(onLine);
  for (const part of parts) reader.write(part);
  reader.end();
}

function linesOf(xml: string | Buffer): BankLine[] {
  const lines: BankLine[] = [];
  readBankFile(partsOf(Buffer.from(xml)), (line) => lines.push(line));
  return lines;
}

/** In small parts, so that characters and tags are cut. */
function* partsOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
}

const entriesOf = (xml: string) => linesOf(xml) as EntryLine[];
const statusesOf = (xml: string) => linesOf(xml) as StatusLine[];

function instruction(number: number, change: Partial<BankInstruction> = {}): BankInstruction {
  return {
    endToEndId: `E${number}`,
    reference: `I${number}`,
    originator: 'book',
    amount: BigInt(number) * 10_000n,
    currency: 'EUR',
    status: 'filed',
    ...change,
  };
}

const ALL = [instruction(1), instruction(2), instruction(3)];
const PAID_BY_ENTRY = { paidByStatus: false };
const PAID_BY_STATUS = { paidByStatus: true };

describe('a status', () => {
  test.each`
    row      | status    | reason       | settled  | kind          | code
    ${'H1'}  | ${'ACTC'} | ${undefined} | ${false} | ${undefined}  | ${undefined}
    ${'H1'}  | ${'ACCP'} | ${undefined} | ${true}  | ${undefined}  | ${undefined}
    ${'H1'}  | ${'ACSP'} | ${undefined} | ${true}  | ${undefined}  | ${undefined}
    ${'H10'} | ${'ACSC'} | ${undefined} | ${true}  | ${'paid'}     | ${null}
    ${'H10'} | ${'ACSC'} | ${undefined} | ${false} | ${undefined}  | ${undefined}
    ${'-'}   | ${'ACCC'} | ${undefined} | ${true}  | ${'paid'}     | ${null}
    ${'-'}   | ${'CANC'} | ${undefined} | ${false} | ${'rejected'} | ${null}
    ${'H9'}  | ${'RJCT'} | ${'AC04'}    | ${false} | ${'rejected'} | ${'AC04'}
    ${'-'}   | ${'ACWC'} | ${undefined} | ${true}  | ${undefined}  | ${undefined}
    ${'-'}   | ${'RVNM'} | ${undefined} | ${true}  | ${undefined}  | ${undefined}
    ${'-'}   | ${'ZZZZ'} | ${undefined} | ${true}  | ${undefined}  | ${undefined}
  `('$row: $status $reason, settled pays $settled: $kind', ({ status, reason, settled, kind, code }) => {
    const [line] = statusesOf(
      pain002({
        messageId: 'M1',
        group: { status: 'PART' },
        payments: [{ paymentInformationId: 'M1-1', transactions: [{ endToEndId: 'E2', status, reason }] }],
      }),
    );
    expect(line).toMatchObject({ level: 'transaction', messageId: 'M1', paymentInformationId: 'M1-1', reportId: 'S1' });
    const { reported } = meaningOfStatus(line!, [ALL[1]!], { paidByStatus: settled });
    expect(reported).toHaveLength(kind === undefined ? 0 : 1);
    if (kind !== undefined) expect(reported[0]).toMatchObject({ kind, code });
  });

  test('of the levels each is a line: transactions, then their payment, at last the group', () => {
    const lines = statusesOf(
      pain002({
        messageId: 'M1',
        group: { status: 'PART' },
        payments: [
          {
            paymentInformationId: 'M1-1',
            status: 'PART',
            transactions: [{ endToEndId: 'E2', instructionId: 'I2', status: 'RJCT', reason: 'AC04' }],
          },
        ],
      }),
    );
    expect(lines.map(({ place, level, status, endToEndId }) => [place, level, status, endToEndId])).toEqual([
      [1, 'transaction', 'RJCT', 'E2'],
      [2, 'payment', 'PART', undefined],
      [3, 'group', 'PART', undefined],
    ]);
    expect(meaningOfStatus(lines[2]!, ALL, PAID_BY_STATUS).reported).toEqual([]);
  });

  test.each`
    row      | reason    | finding
    ${'H8'}  | ${'AM10'} | ${'file_rejected'}
    ${'H29'} | ${'AM04'} | ${'file_rejected'}
    ${'H30'} | ${'DU01'} | ${undefined}
  `('$row: a group rejected with $reason rejects all of it', ({ reason, finding }) => {
    const [line] = statusesOf(pain002({ messageId: 'M1', group: { status: 'RJCT', reason } }));
    const meaning = meaningOfStatus(line!, ALL, PAID_BY_ENTRY);
    expect(meaning.reported.map(({ kind, code }) => [kind, code])).toEqual(ALL.map(() => ['rejected', reason]));
    expect(meaning.finding?.kind).toBe(finding);
  });
});

describe('an entry', () => {
  const single = (xml: string, one = ALL[0]!) =>
    meaningOfEntry(entriesOf(xml)[0]!, { instructions: [one], isBatch: false });
  const debit = (amount: string, transaction: object = { endToEndId: 'E1' }, more: object = {}) =>
    camt054([{ amount, transactions: [transaction], ...more }]);

  test.each`
    row      | xml                                                                              | amount
    ${'H1'}  | ${debit('100.00')}                                                               | ${10_000n}
    ${'H14'} | ${debit('100.00', { endToEndId: 'NOTPROVIDED', instructionId: 'I1' })}           | ${10_000n}
    ${'H19'} | ${debit('101.50', { endToEndId: 'E1', amount: '100.00', charges: '1.50' })}      | ${10_000n}
    ${'H19'} | ${debit('101.50', { endToEndId: 'E1', amount: '101.50', charges: '1.50' })}      | ${10_000n}
    ${'H19'} | ${debit('101.50', { endToEndId: 'E1', amount: '101.50', instructed: '100.00' })} | ${10_000n}
    ${'H20'} | ${debit('101.50')}                                                               | ${10_150n}
  `('$row: a booked debit confirms $amount', ({ xml, amount }) => {
    const { reported } = single(xml);
    expect(reported).toMatchObject([{ kind: 'paid', confirmed: { amount, currency: 'EUR' } }]);
    const [line] = entriesOf(xml);
    expect(line!.endToEndId ?? line!.instructionId).toMatch(/^[EI]1$/);
  });

  test.each`
    row      | xml                                                                                        | nothing
    ${'H21'} | ${debit('100.00', { endToEndId: 'E1' }, { status: 'PDNG' })}                               | ${'pending'}
    ${'H21'} | ${camt054([{ amount: '100.00', transactions: [{ endToEndId: 'E1' }] }], { copy: 'DUPL' })} | ${'copy'}
    ${'-'}   | ${camt054([{ amount: '100.00', transactions: [{ endToEndId: 'E1' }] }], { copy: 'CODU' })} | ${'copy'}
    ${'-'}   | ${camt054([{ amount: '100.00', transactions: [{ endToEndId: 'E1' }] }], { copy: 'COPY' })} | ${'copy'}
    ${'-'}   | ${debit('100.00', { endToEndId: 'E1' }, { status: 'INFO' })}                               | ${'pending'}
  `('$row: what is not booked, or reported again, means nothing: $nothing', ({ xml, nothing }) => {
    expect(single(xml)).toEqual({ reported: [], nothing });
  });

  test.each`
    row      | amount      | more                  | reason       | back
    ${'H22'} | ${'200.00'} | ${{}}                 | ${'AC04'}    | ${20_000n}
    ${'H23'} | ${'192.50'} | ${{}}                 | ${undefined} | ${19_250n}
    ${'H26'} | ${'200.00'} | ${{}}                 | ${'FOCR'}    | ${20_000n}
    ${'H34'} | ${'200.00'} | ${{ reversal: true }} | ${undefined} | ${20_000n}
  `('$row: a credit of $amount under our id returns it', ({ amount, more, reason, back }) => {
    const xml = camt054([
      { amount, direction: 'CRDT', bankReference: 'R1', transactions: [{ endToEndId: 'E2', reason }], ...more },
    ]);
    expect(entriesOf(xml)[0]).toMatchObject({ bankReference: 'R1' });
    expect(single(xml, ALL[1]!).reported).toMatchObject([{ kind: 'returned', amount: back, code: reason ?? null }]);
  });

  test('H13: a line with other ids is foreign', () => {
    const [line] = entriesOf(debit('100.00', { endToEndId: 'OTHER' }));
    expect(meaningOfEntry(line!, { instructions: [], isBatch: false })).toEqual({ reported: [], nothing: 'foreign' });
  });

  describe('of a batch', () => {
    const batch = (amount: string) => entriesOf(camt054([{ amount, batch: { paymentInformationId: 'M1-1' } }]))[0]!;
    test.each`
      row      | amount      | instructions                                                | paid
      ${'H15'} | ${'600.00'} | ${ALL}                                                      | ${['E1', 'E2', 'E3']}
      ${'H16'} | ${'400.00'} | ${[ALL[0], instruction(2, { status: 'rejected' }), ALL[2]]} | ${['E1', 'E3']}
      ${'H17'} | ${'500.00'} | ${ALL}                                                      | ${undefined}
      ${'-'}   | ${'600.00'} | ${[ALL[0], ALL[1], instruction(3, { currency: 'USD' })]}    | ${undefined}
      ${'H18'} | ${'600.00'} | ${ALL.map((one) => ({ ...one, status: 'paid' }))}           | ${['E1', 'E2', 'E3']}
    `('$row: one debit of $amount for the PmtInf pays $paid', ({ amount, instructions, paid }) => {
      const line = batch(amount);
      expect(line).toMatchObject({ transactions: 0, paymentInformationId: 'M1-1' });
      const meaning = meaningOfEntry(line, { instructions, isBatch: true });
      if (paid === undefined)
        expect(meaning).toMatchObject({ reported: [], finding: { kind: 'file_amount_mismatch' } });
      else {
        expect(meaning.reported.map(({ instruction: { endToEndId } }) => endToEndId)).toEqual(paid);
        for (const { instruction: one, confirmed } of meaning.reported) expect(confirmed.amount).toBe(one.amount);
      }
    });
  });

  test('H18: line by line each has its own amount, and the reference of the entry is none of theirs', () => {
    const lines = entriesOf(
      camt054([
        {
          amount: '600.00',
          bankReference: 'B1',
          batch: { paymentInformationId: 'M1-1' },
          transactions: [1, 2, 3].map((number) => ({ endToEndId: `E${number}`, amount: `${number}00.00` })),
        },
      ]),
    );
    expect(
      lines.map(({ endToEndId, amount, bankReference, paymentInformationId, transactions }) => [
        endToEndId,
        amount,
        bankReference,
        paymentInformationId,
        transactions > 1,
      ]),
    ).toEqual([1, 2, 3].map((number) => [`E${number}`, BigInt(number) * 10_000n, undefined, 'M1-1', true]));
  });
});

test.each`
  entry        | transaction  | others | known
  ${'E'}       | ${'T'}       | ${0}   | ${'E'}
  ${undefined} | ${'T'}       | ${0}   | ${'T'}
  ${'E'}       | ${undefined} | ${0}   | ${'E'}
  ${'E'}       | ${'T'}       | ${1}   | ${'T'}
  ${'E'}       | ${undefined} | ${1}   | ${undefined}
`(
  'the bank’s reference of $entry and $transaction beside $others others is $known',
  ({ entry, transaction, others, known }) => {
    const more = Array.from({ length: others }, () => ({ endToEndId: 'E9', amount: '50.00', bankReference: 'U' }));
    const one = { endToEndId: 'E1', amount: '50.00', ...(transaction && { bankReference: transaction }) };
    const amount = others === 0 ? '50.00' : '100.00';
    const [line] = entriesOf(
      camt054([{ amount, direction: 'CRDT', ...(entry && { bankReference: entry }), transactions: [one, ...more] }]),
    );
    expect(line!.bankReference).toBe(known);
  },
);

test('of an entry that is what several come to, each transaction has its own direction; of a reversal the entry has it', () => {
  const transactions = [
    { endToEndId: 'E1', amount: '100.00', direction: 'DBIT' },
    { endToEndId: 'E2', amount: '60.00', direction: 'CRDT' },
  ] as const;
  const directionsOf = (xml: string) => entriesOf(xml).map(({ direction }) => direction);
  expect(directionsOf(camt054([{ amount: '40.00', transactions }]))).toEqual(['debit', 'credit']);
  const back = { amount: '160.00', direction: 'CRDT', reversal: true } as const;
  expect(directionsOf(camt054([{ ...back, transactions }]))).toEqual(['credit', 'credit']);
});

describe('a file that is not whole or not understood is refused', () => {
  const whole = camt054([{ amount: '100.00', transactions: [{ endToEndId: 'E1' }] }]);
  test.each`
    what                   | bytes                                                                        | says
    ${'empty'}             | ${''}                                                                        | ${/empty/}
    ${'H32: cut off'}      | ${whole.slice(0, whole.length / 2)}                                          | ${/unclosed|unexpected end|Line/i}
    ${'no XML'}            | ${'BEGIN:VCARD'}                                                             | ${/Line 1/}
    ${'a DOCTYPE'}         | ${whole.replace('<Document', '<!DOCTYPE x [<!ENTITY a "b">]><Document')}     | ${/DOCTYPE/}
    ${'an unknown entity'} | ${whole.replace('E1', '&a;')}                                                | ${/Line/}
    ${'another message'}   | ${'<Document xmlns="x"><BkToCstmrStmt><GrpHdr/></BkToCstmrStmt></Document>'} | ${/BkToCstmrStmt.*neither/}
    ${'another root'}      | ${'<a/>'}                                                                    | ${/neither/}
    ${'another encoding'}  | ${whole.replace('UTF-8', 'ISO-8859-1')}                                      | ${/UTF-8/}
    ${'no UTF-8'}          | ${Buffer.concat([Buffer.from(whole.slice(0, 200)), Buffer.of(0xff, 0xfe)])}  | ${/UTF-8/}
    ${'too deep'}          | ${`<Document>${'<a>'.repeat(60)}`}                                           | ${/levels/}
    ${'too long a text'}   | ${whole.replace('E1', 'x'.repeat(30_000))}                                   | ${/characters/}
    ${'too many elements'} | ${whole.replace('<Refs>', `<Refs>${'<a/>'.repeat(30_000)}`)}                 | ${/elements/}
  `('$what', ({ bytes, says }) => {
    expect(() => linesOf(bytes)).toThrow(says);
  });
});

describe.skipIf(!hasSharedData)('against the shared samples and schemas', () => {
  test.each(['camt054.v2.xml', 'camt054.v8.xml'])('%s is read', (name) => {
    const lines = linesOf(readFileSync(join(SHARED_DATA, 'camt', name))) as EntryLine[];
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(line).toMatchObject({ type: 'entry', isBooked: true });
  });

  test('what our tests write is valid', async () => {
    const camt = camt054(
      [
        {
          amount: '600.00',
          batch: { paymentInformationId: 'P' },
          transactions: [
            { endToEndId: 'E1', bankReference: 'B', amount: '1.00', charges: '0.10', reason: 'AC04', remittance: 'x' },
          ],
        },
        {
          amount: '1.00',
          direction: 'CRDT',
          reversal: true,
          transactions: [{ endToEndId: 'E1', amount: '1.00', instructed: '1.00' }],
        },
      ],
      { copy: 'DUPL' },
    );
    const pain = pain002({
      messageId: 'M',
      group: { status: 'RJCT', reason: 'AM04' },
      payments: [
        {
          paymentInformationId: 'P',
          status: 'PART',
          transactions: [{ endToEndId: 'E', instructionId: 'I', status: 'RJCT', reason: 'AC04' }],
        },
      ],
    });
    for (const [xml, schema] of [
      [camt, 'camt.054.001.08'],
      [pain, 'pain.002.001.11'],
    ] as const) {
      const { errors } = await validateXML({
        xml: [{ fileName: 'file.xml', contents: xml }],
        schema: [{ fileName: 'schema.xsd', contents: schemaOf(schema) }],
      });
      expect(errors).toEqual([]);
    }
  });
});

test('a file of many entries is read in the memory of one', () => {
  function* parts(): Generator<Buffer> {
    const [head, tail] = camt054([]).split('</Ntfctn>') as [string, string];
    const one = camt054([{ amount: '1.00', transactions: [{ endToEndId: 'E1' }, { endToEndId: 'E2' }] }]);
    const entry = `\n      ${/<Ntry>.*<\/Ntry>/.exec(one)![0]}`;
    yield Buffer.from(head);
    for (let number = 0; number < 20_000; number++) yield Buffer.from(entry);
    yield Buffer.from(`</Ntfctn>${tail}`);
  }
  let lines = 0;
  readBankFile(parts(), () => lines++);
  expect(lines).toBe(40_000);
});
