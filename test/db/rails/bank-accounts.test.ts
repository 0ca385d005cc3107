/** Whose account a camt.054 reports: only a debtor account of the bank's rails counts, under the names that its bank has for it. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { operatorBooks } from '../../../src/organisations/organisation-store.ts';
import type { BankFinding } from '../../../src/rails/iso20022/bank-inbox-store.ts';
import { TestBank, toIban } from '../../support/bank.ts';
import { camt054, TEST_IBAN } from '../../support/bank-files.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const FOREIGN = 'AT483200000012345864';
const NUMBER = '0023 457320-1 EUR';

let database: TestDatabase;
let bank: TestBank;
let count = 0;
const banks: TestBank[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await database?.drop();
});
beforeEach(() => {
  bank = newBank();
});
afterEach(async () => {
  for (const one of banks.splice(0)) await one.close();
});

function newBank(change: ConstructorParameters<typeof TestBank>[1] = {}): TestBank {
  const made = new TestBank(database, change);
  banks.push(made);
  return made;
}

async function filed(): Promise<string> {
  const instruction = toIban(10_000n);
  await bank.rail.submit(instruction);
  await bank.rail.work();
  return instruction.endToEndId;
}

/** A notification of a booked debit of ours and of a credit, of an account by its IBAN or by the bank's own name. */
function notification(account: string, endToEndId: string, isIban = /^[A-Za-z]{2}\d\d/.test(account)): string {
  count += 1;
  const xml = camt054(
    [
      { amount: '100.00', bankReference: `D${count}`, transactions: [{ endToEndId }] },
      { amount: '50.00', direction: 'CRDT', bankReference: `C${count}`, transactions: [{ remittance: 'Thank you' }] },
    ],
    { id: `N${count}`, account },
  );
  return isIban ? xml : xml.replace(`<IBAN>${account}</IBAN>`, `<Othr><Id>${account}</Id></Othr>`);
}

async function tell(content: string, to = bank): Promise<void> {
  count += 1;
  to.send(`${count}.xml`, content);
  await to.rail.work();
}

async function findings(of = bank): Promise<BankFinding[]> {
  const found: BankFinding[] = [];
  await of.rail.openFindings(async (finding) => found.push(finding));
  return found;
}

/** What counted: notices of our payments, and credits by the account of their scope. */
async function counted(of = bank) {
  const { rows } = await of.pool.query<{ bank_account: string }>(
    'SELECT bank_account FROM inbound_credits WHERE rail = $1 ORDER BY id',
    [of.of.settings.name],
  );
  const notices = await of.rail.notices(10);
  return { notices: notices.map(({ kind }) => kind), credits: rows.map(({ bank_account: account }) => account) };
}

const NOTHING = { notices: [], credits: [] };
const BOTH = { notices: ['paid'], credits: [TEST_IBAN] };

test('what is reported of another account moves nothing, and the rest of its file counts', async () => {
  const endToEndId = await filed();
  await tell(notification(FOREIGN, endToEndId));
  expect(await counted()).toEqual(NOTHING);
  const [finding, ...more] = await findings();
  expect(more).toEqual([]);
  expect(finding).toMatchObject({ kind: 'file_account_unknown' });
  expect(finding!.detail).toMatch(/2 booked transactions of \*\*\*5864.*reported_as/);
  expect(finding!.detail).not.toContain(FOREIGN);

  const other = /<Ntfctn>.*<\/Ntfctn>/.exec(notification(FOREIGN, endToEndId))![0];
  await tell(notification(TEST_IBAN, endToEndId).replace('<Ntfctn>', `${other}<Ntfctn>`));
  expect(await counted()).toEqual(BOTH);
  expect(await findings()).toMatchObject([{ kind: 'file_account_unknown' }]);
});

test('what another account has as pending, or told again, is nobody’s concern', async () => {
  const entry = { amount: '1.00', transactions: [{ endToEndId: 'E1' }] };
  await tell(camt054([{ ...entry, status: 'PDNG' }], { account: FOREIGN }));
  await tell(camt054([entry], { account: FOREIGN, copy: 'DUPL' }));
  expect(await findings()).toEqual([]);
});

test.each`
  account                                      | reportedAs   | counts
  ${'AT61 1904 3002 3457 3201'}                | ${[]}        | ${true}
  ${'at611904300234573201'}                    | ${[]}        | ${true}
  ${NUMBER}                                    | ${[]}        | ${false}
  ${NUMBER}                                    | ${[NUMBER]}  | ${true}
  ${NUMBER.toLowerCase()}                      | ${[NUMBER]}  | ${false}
  ${NUMBER.replaceAll(' ', '')}                | ${[NUMBER]}  | ${false}
  ${FOREIGN}                                   | ${[FOREIGN]} | ${true}
  ${FOREIGN.replace(/.{4}/g, '$& ').trimEnd()} | ${[FOREIGN]} | ${true}
`('the account $account, reported as $reportedAs: $counts', async ({ account, reportedAs, counts }) => {
  bank = newBank({ accounts: [{ iban: TEST_IBAN, reportedAs }] });
  await tell(notification(account, await filed()));
  expect(await counted()).toEqual(counts ? BOTH : NOTHING);
  expect(await findings()).toHaveLength(counts ? 0 : 1);
});

test('the account of another rail is that rail’s: this one knows none of its payments', async () => {
  bank = newBank({
    accounts: [
      { iban: TEST_IBAN, reportedAs: [] },
      { iban: FOREIGN, reportedAs: [NUMBER] },
    ],
  });
  const endToEndId = await filed();
  for (const account of [FOREIGN, NUMBER]) await tell(notification(account, endToEndId));
  const { test: bookId } = await operatorBooks(bank.pool);
  // Nothing of it is read, so that its bytes stay another rail's to take.
  await bank.rail.takeHanded({ bookId, sha256: '00'.repeat(32), name: 'handed.xml', accounts: [FOREIGN] });
  expect(await counted()).toEqual(NOTHING);
  const kinds = (await findings()).map(({ kind, detail }) => [
    kind,
    detail.endsWith('have the bank send a file for each account.'),
  ]);
  expect(kinds).toEqual([
    ['file_account_unknown', true],
    ['file_account_unknown', true],
  ]);
  await tell(notification(TEST_IBAN, endToEndId));
  expect(await counted()).toEqual(BOTH);
});

test('under two names the same movement is one', async () => {
  bank = newBank({ accounts: [{ iban: TEST_IBAN, reportedAs: [NUMBER] }] });
  const told = notification(NUMBER, await filed());
  await tell(told);
  await tell(told.replace(`<Othr><Id>${NUMBER}</Id></Othr>`, `<IBAN>${TEST_IBAN}</IBAN>`));
  expect(await counted()).toEqual(BOTH);
});

test('once the name is listed, the same file counts, and once', async () => {
  const told = notification(NUMBER, await filed());
  await tell(told);
  await tell(told);
  expect(await counted()).toEqual(NOTHING);
  expect(await findings()).toHaveLength(1);
  const { name, folders } = bank.of.settings;
  const listed = newBank({ name, folders, accounts: [{ iban: TEST_IBAN, reportedAs: [NUMBER] }] });
  for (let again = 0; again < 2; again++) {
    bank.send(`again${again}.xml`, told);
    await listed.rail.work();
    expect(await counted(listed)).toEqual(BOTH);
  }
  expect(await findings(listed)).toEqual([]);
});
