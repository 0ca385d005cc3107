/** Statements of the sandbox's bank: against the schema of ISO 20022, and read back as reconciliation reads them. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { type BankMovement, linesOf } from '../../../src/rails/sandbox-bank-lines.ts';
import { closingOf, writeCamt } from '../../../src/rails/sandbox-camt.ts';
import { NOISES } from '../../../src/rails/stated-by-sandbox.ts';
import { CamtReader } from '../../../src/reconciliation/reading/read-camt.ts';
import { newId } from '../../../src/values/ids.ts';

const SCHEMA = new URL('../../../../shared/data/xsd/camt.053.001.08.xsd', import.meta.url);

const movement = (kind: BankMovement['kind'], amount: bigint, further: Partial<BankMovement> = {}): BankMovement => ({
  ...{ id: newId(), kind, amount, on: '2026-11-03', reference: `SBX${'A'.repeat(32)}`, endToEndId: null },
  ...further,
});
const ID = `CH${'A'.repeat(32)}0`;
const MOVEMENTS = [
  movement('credit', 1_000_000n, { on: '2026-10-01' }),
  movement('payout', -25_000n, { endToEndId: ID }),
  movement('payout', -5_000n, { endToEndId: ID }),
  movement('payout', -7_000n, { endToEndId: ID }),
  movement('return', 7_000n, { endToEndId: ID }),
  movement('settlement', -12n, { reference: 'payday <1>' }),
  movement('payout', -1n, { on: '2026-11-09', endToEndId: ID }),
];

function statement(currency: string, identifier: string, reversalIndicator: 'entry' | 'original' = 'entry') {
  const { lines } = linesOf({ movements: MOVEMENTS, noise: NOISES, from: '2026-11-02', to: '2026-11-05' });
  const account = {
    ...{ id: newId(), name: 'Current account', identifier, bic: null, currency, balance: 0n, openingOn: '2026-11-02' },
    ...{ outstanding: [], reversalIndicator },
  };
  return {
    ...{ account, number: 12, from: '2026-11-02', to: '2026-11-05', opening: -500n, lines },
    madeAt: Date.UTC(2026, 10, 5, 12),
  };
}

test('the lines of a statement, in the order of what moved, with its noise behind', () => {
  const { lines, ids } = linesOf({ movements: MOVEMENTS, noise: NOISES, from: '2026-11-02', to: '2026-11-05' });
  expect(lines.map(({ kind, amount, on, endToEndId }) => [kind, amount, on, endToEndId?.length ?? null])).toEqual([
    ['credit', 1_000_000n, '2026-11-02', null],
    ['payout', -7_000n, '2026-11-03', 16],
    ['return', 7_000n, '2026-11-03', 35],
    ['settlement', -12n, '2026-11-03', null],
    ['merged', -30_000n, '2026-11-05', null],
    ['fee', -500n, '2026-11-05', null],
    ['mistake', -1_000n, '2026-11-05', null],
    ['mistake', 1_000n, '2026-11-05', null],
  ]);
  expect(ids).toEqual(MOVEMENTS.slice(0, -1).map(({ id }) => id));
});

test('noise that finds nothing to change is left out', () => {
  const one = [movement('payout', -5n, { endToEndId: ID })];
  const period = { from: '2026-11-02', to: '2026-11-05' };
  expect(linesOf({ movements: one, noise: ['merged'], ...period }).lines).toMatchObject([{ kind: 'payout' }]);
  expect(linesOf({ movements: [], noise: ['late', 'cut_reference'], ...period })).toEqual({ lines: [], ids: [] });
});

test.each`
  reversalIndicator | stands
  ${'entry'}        | ${1_000n}
  ${'original'}     | ${-1_000n}
`('reads back as it was written, a reversal as $reversalIndicator', ({ reversalIndicator, stands }) => {
  const written = statement('JOD', 'JO94CBJO0010000000000131000302', reversalIndicator);
  const reader = new CamtReader();
  const read = [...reader.push(Buffer.from(writeCamt(written))), ...reader.end()];
  const lines = read.flatMap((one) => (one.is === 'line' ? [one.line] : []));
  expect(lines.map(({ amount }) => amount)).toEqual([
    ...written.lines.slice(0, -1).map(({ amount }) => amount),
    stands,
  ]);
  expect(lines.map(({ isReversal }) => isReversal)).toEqual([...Array(lines.length - 1).fill(false), true]);
  expect(lines[3]).toMatchObject({ text: 'payday <1>', counterpartyName: 'Sandbox acquirer' });
  expect(lines[4]).toMatchObject({ batch: { transactions: 2 }, endToEndId: null, text: null });
  expect(new Set(lines.slice(0, -1).map(({ bankReference }) => bankReference)).size).toBe(lines.length - 1);
  expect(lines.at(-1)!.bankReference).toBe(lines.at(-2)!.bankReference);
  expect(read.at(-1)).toMatchObject({
    statement: {
      ...{ account: 'JO94CBJO0010000000000131000302', number: '12', from: '2026-11-02', to: '2026-11-05', fault: null },
      opening: { amount: -500n },
      closing: { amount: closingOf(written) },
    },
  });
});

test.skipIf(!existsSync(SCHEMA)).each([
  ['JPY', 'JO94CBJO0010000000000131000302'],
  ['EUR', '0011-223344'],
  ['KWD', 'JO94CBJO0010000000000131000302'],
])('in %s for %s it is valid', async (currency, identifier) => {
  const xml = [{ fileName: 'statement.xml', contents: writeCamt(statement(currency, identifier)) }];
  const schema = [{ fileName: 'camt.053.001.08.xsd', contents: readFileSync(SCHEMA, 'utf8') }];
  expect(await validateXML({ xml, schema })).toMatchObject({ errors: [] });
});
