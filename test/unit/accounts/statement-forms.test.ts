/** Forms of a statement: camt.053 against its schema and read back, PDF with any text, the same bytes for the same statement. */
import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import type { ShownLine } from '../../../src/accounts/lines/account-line-view.ts';
import { type Statement, StatementSum } from '../../../src/accounts/statements/statement.ts';
import { statementCamt } from '../../../src/accounts/statements/statement-camt.ts';
import { statementPdf } from '../../../src/accounts/statements/statement-pdf.ts';
import { newAccount } from '../../../src/ledger/account/chart.ts';
import { decimalOf } from '../../../src/money/amount.ts';
import type { BankFileLine, BankFileStatement } from '../../../src/reconciliation/reading/bank-file.ts';
import { CamtReader } from '../../../src/reconciliation/reading/read-camt.ts';
import { newId } from '../../../src/values/ids.ts';
import { runs } from '../../support/runs.ts';

const SCHEMA = new URL('../../../../shared/data/xsd/camt.053.001.08.xsd', import.meta.url);
const CURRENCIES = ['JPY', 'EUR', 'KWD'];

interface Moved {
  readonly amount: bigint;
  readonly isCredit: boolean;
  readonly text: string | null;
  readonly reference: string | null;
}

function made(
  moved: readonly Moved[],
  { currency, opening = 0n, name = null }: { currency: string; opening?: bigint; name?: string | null },
): { statement: Statement; lines: ShownLine[] } {
  const account = newAccount(newId(), 'customer', currency);
  let balance = opening;
  const lines = moved.map(({ amount, isCredit, text, reference }, at): ShownLine => {
    balance += isCredit ? amount : -amount;
    return {
      ...{ line: BigInt(at + 1), direction: isCredit ? 'credit' : 'debit', amount, currency, balanceAfter: balance },
      ...{ kind: 'payout_fee', counterAccountId: newId(), entryId: newId(), ordinal: at % 100, resource: 'payout' },
      ...{ resourceId: newId(), step: 'paid', postedAt: Date.UTC(2026, 2, 2), effectiveAt: Date.UTC(2026, 2, 1) },
      ...{ occurredOn: null, postedOn: '2026-03-02', effectiveOn: '2026-03-01', externalId: reference },
      ...{ endToEndId: reference, counterparty: text, description: text },
    };
  });
  const sum = new StatementSum({
    ...{
      bookId: newId(),
      mode: 'test',
      account,
      accountName: name,
      number: null,
      timeZone: 'Asia/Amman',
      interim: false,
    },
    ...{ from: '2026-03-01', to: '2026-03-31', begins: Date.UTC(2026, 1, 28, 21), ends: Date.UTC(2026, 2, 31, 21) },
    ...{ afterLine: 0n, throughLine: BigInt(lines.length), opening, closing: balance },
  });
  for (const line of lines) sum.add(line);
  return { statement: sum.end(), lines };
}

async function* inPages(lines: readonly ShownLine[]) {
  for (let at = 0; at < lines.length; at += 2) yield lines.slice(at, at + 2);
}

async function whole(pieces: AsyncIterable<string | Buffer>): Promise<Buffer> {
  const read: Buffer[] = [];
  for await (const piece of pieces) read.push(Buffer.from(piece));
  return Buffer.concat(read);
}

const camtOf = async ({ statement, lines }: ReturnType<typeof made>) =>
  (await whole(statementCamt(statement, inPages(lines)))).toString();
const pdfOf = ({ statement, lines }: ReturnType<typeof made>) => whole(statementPdf(statement, inPages(lines)));

function readBack(xml: string): { lines: BankFileLine[]; statements: BankFileStatement[] } {
  const reader = new CamtReader();
  const read = [...reader.push(Buffer.from(xml)), ...reader.end()];
  return {
    lines: read.flatMap((one) => (one.is === 'line' ? [one.line] : [])),
    statements: read.flatMap((one) => (one.is === 'statement' ? [one.statement] : [])),
  };
}

const text = fc.option(
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc.constantFrom('مكتب عمّان', '<&>"', '😀'.repeat(200), '\u0000'),
  ),
);
const journal = fc.record({
  currency: fc.constantFrom(...CURRENCIES),
  opening: fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }),
  name: text,
  moved: fc.array(
    fc.record({ amount: fc.bigInt({ min: 1n, max: 10n ** 14n }), isCredit: fc.boolean(), text, reference: text }),
    { maxLength: 8 },
  ),
});

describe('camt.053', () => {
  const schema = existsSync(SCHEMA) ? readFileSync(SCHEMA, 'utf8') : undefined;

  test.skipIf(schema === undefined)('is valid against its schema, whatever the texts', async () => {
    await fc.assert(
      fc.asyncProperty(journal, async ({ moved, ...rest }) => {
        const contents = await camtOf(made(moved, rest));
        const xml = [{ fileName: 'statement.xml', contents }];
        const { valid, errors } = await validateXML({ xml, schema: [{ fileName: 'camt.xsd', contents: schema! }] });
        expect(errors).toEqual([]);
        expect(valid).toBe(true);
      }),
      { numRuns: runs(15) },
    );
  });

  test('a bank reader reads the same movements and balances, to the minor unit', async () => {
    await fc.assert(
      fc.asyncProperty(journal, async ({ moved, ...rest }) => {
        const of = made(moved, rest);
        const { lines, statements } = readBack(await camtOf(of));
        const signed = moved.map(({ amount, isCredit }) => (isCredit ? amount : -amount));
        expect(lines.map(({ amount }) => amount)).toEqual(signed);
        expect(statements).toEqual([
          expect.objectContaining({
            ...{ kind: 'statement', currency: rest.currency, fault: null },
            opening: { amount: rest.opening, on: '2026-03-01' },
            closing: { amount: of.statement.closing, on: '2026-03-31' },
          }),
        ]);
      }),
      { numRuns: runs(50) },
    );
  });

  test('names each line by entry and ordinal, its end-to-end id or none, and its days', async () => {
    const { lines: shown, statement } = made(
      [
        { amount: 5_124n, isCredit: false, text: 'S*** B***', reference: 'E2E1' },
        { amount: 7n, isCredit: true, text: null, reference: null },
      ],
      { currency: 'KWD', name: 'Operating' },
    );
    const xml = await camtOf({ lines: shown, statement });
    expect(xml).toContain('<Amt Ccy="KWD">5.124</Amt><CdtDbtInd>DBIT</CdtDbtInd>');
    expect(xml).toContain('<EndToEndId>NOTPROVIDED</EndToEndId>');
    expect(xml).toContain('<CreDtTm>2026-03-31T21:00:00.000Z</CreDtTm>');
    expect(xml).toContain('<CdtDbtInd>DBIT</CdtDbtInd><Dt><Dt>2026-03-31</Dt></Dt>');
    const { lines } = readBack(xml);
    expect(lines).toEqual([
      expect.objectContaining({
        endToEndId: 'E2E1',
        counterpartyName: 'S*** B***',
        bookedOn: '2026-03-02',
        valueOn: '2026-03-01',
      }),
      expect.objectContaining({ endToEndId: null, counterpartyName: null, text: null }),
    ]);
    expect(new Set(lines.map(({ bankReference }) => bankReference)).size).toBe(2);
    expect(lines[0]!.bankReference).toMatch(/^je_[0-9a-z]{26}-0$/);
  });

  test('cuts texts between code points', async () => {
    const of = made([{ amount: 1n, isCredit: true, text: '😀'.repeat(300), reference: 'é'.repeat(40) }], {
      currency: 'EUR',
    });
    const xml = await camtOf(of);
    expect(xml).toContain(`<Nm>${'😀'.repeat(140)}</Nm>`);
    expect(xml).toContain(
      `<Ustrd>${'😀'.repeat(140)}</Ustrd><Ustrd>${'😀'.repeat(140)}</Ustrd><Ustrd>${'😀'.repeat(20)}</Ustrd>`,
    );
    expect(xml).toContain(`<EndToEndId>${'é'.repeat(35)}</EndToEndId>`);
  });

  test('is the same for the same statement, and has the digits of its currency', async () => {
    for (const currency of CURRENCIES) {
      const of = made([{ amount: 1n, isCredit: true, text: null, reference: null }], { currency });
      expect(await camtOf(of)).toBe(await camtOf(of));
      expect(await camtOf(of)).toContain(`<Amt Ccy="${currency}">${decimalOf(1n, currency)}</Amt>`);
    }
  });
});

describe('PDF', () => {
  const some = (count: number): Moved[] =>
    Array.from({ length: count }, (_, at) => ({
      ...{ amount: BigInt(at + 1) * 5_124n, isCredit: at % 2 === 0, reference: `order-${at}` },
      text: ['مكتب عمّان رقم 12 (INV-7)', 'Rent', '漢字 🙂'][at % 3]!,
    }));

  test('has as many pages as its lines need, and embeds the fonts that they use', async () => {
    const file = (await pdfOf(made(some(45), { currency: 'KWD', name: 'حساب مكتب عمّان' }))).toString('latin1');
    expect(file.startsWith('%PDF-1.')).toBe(true);
    expect(file.match(/\/Type \/Page\b/g)!.length).toBeGreaterThanOrEqual(3);
    expect(file).toMatch(/\/BaseFont \/[A-Z]{6}\+NotoSansArabic/);
    expect(file).toMatch(/\/BaseFont \/[A-Z]{6}\+NotoSans-/);
  });

  test('of a text that needs no Arabic has no font of it', async () => {
    const file = (await pdfOf(made([], { currency: 'JPY', name: 'Main' }))).toString('latin1');
    expect(file).not.toContain('NotoSansArabic');
  });

  test('is the same to the byte for the same statement, and has no time of making', async () => {
    const of = made(some(20), { currency: 'JPY' });
    const file = await pdfOf(of);
    expect(file.equals(await pdfOf(of))).toBe(true);
    expect(file.toString('latin1')).toContain('(D:20260331210000Z)');
  });

  test('draws whatever a text has', async () => {
    await fc.assert(
      fc.asyncProperty(journal, async ({ moved, ...rest }) => {
        expect((await pdfOf(made(moved, rest))).length).toBeGreaterThan(1_000);
      }),
      { numRuns: runs(10) },
    );
  });
});
