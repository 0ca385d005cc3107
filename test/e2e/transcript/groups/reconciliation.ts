/** Bank accounts of the operator's, their statements, and what people make of those that are held. */
import { until } from '../../../../scripts/harness/until.ts';
import { GROUPS } from '../../../../src/groups.ts';
import { chartAccountId } from '../../../../src/ledger/account/chart.ts';
import type { BookId } from '../../../../src/ledger/book/book.ts';
import { operatorBooks } from '../../../../src/organisations/organisation-store.ts';
import { bankAccounts } from '../../../../src/reconciliation/accounts/bank-account-table.ts';
import { takeLines } from '../../../../src/reconciliation/items/take-lines.ts';
import { mirrorBooks } from '../../../../src/reconciliation/mirror/mirror-books.ts';
import { saveProfile } from '../../../../src/reconciliation/profiles/save-profile.ts';
import { postReports } from '../../../../src/reconciliation/reports/post-received.ts';
import { checkBankParts } from '../../../../src/reconciliation/runs/first-reading.ts';
import { reconciliations } from '../../../../src/reconciliation/runs/reconciliation-table.ts';
import { requestFileRun } from '../../../../src/reconciliation/runs/request-run.ts';
import { bankStatements } from '../../../../src/reconciliation/statements/bank-statement-table.ts';
import { newId, parsePublicId, publicId, type Uuid } from '../../../../src/values/ids.ts';
import { keepReportOf } from '../../../support/acquirer-reports.ts';
import { camt, makeBankAccount, type Taker, takeBankFile } from '../../../support/bank-statements.ts';
import { newBook, openBook } from '../../../support/book.ts';
import { collectFeesIn, collectFeesOf } from '../../../support/fees.ts';
import { LATEST_FORMS } from '../../../support/forms.ts';
import { activeRules, expectItems, makeMatch } from '../../../support/matched-bank.ts';
import { addPersonOf } from '../../../support/people.ts';
import type { GroupOnWire, Page, Stage } from './group.ts';

const ACCOUNT = 'JO71CBJO0000000000001234567890';
const SCOPES = [
  'reconciliations:read',
  'reconciliations:write',
  'reconciliations:approve',
  'exceptions:read',
  'events:read',
  'simulations:write',
];

async function reconciliation({ product, wire }: Stage): Promise<void> {
  const { pool, committer, secretBox } = product.runtime;
  const bookId = (await operatorBooks(pool)).test;
  const ada = await addPersonOf(pool, bookId, { name: 'Ada', scopes: SCOPES });
  const ben = await addPersonOf(pool, bookId, { name: 'Ben', scopes: SCOPES });
  wire.readEventsWith(ada.key, ['bank_account.', 'bank_statement.', 'bank_match.', 'reconciliation.']);
  const taker = { bookId, pool, committer, secretBox };
  const by = (key: string, body?: object) => ({ key, ...(body && { body }) });

  const opening = { on: '2026-11-01', amount: 100_000 };
  const body = { name: 'Current account', currency: 'JOD', identifiers: [ACCOUNT], holds: 'customer_money', opening };
  const accounts = '/v1/transactions/bank_accounts';
  await wire.call("By a key of a customer's", 'POST', accounts, { body });
  const { id } = await wire.call('A bank account', 'POST', accounts, by(ada.key, body));
  await wire.call('Its identifier again', 'POST', accounts, by(ada.key, body));
  await wire.call(
    'A day that is none',
    'POST',
    accounts,
    by(ada.key, { ...body, opening: { ...opening, on: '2026-02-30' } }),
  );
  await wire.call('The bank accounts', 'GET', `${accounts}?status=open`, by(ada.key));
  await wire.call('As it is', 'GET', `${accounts}/${id}`, by(ada.key));
  await wire.call('Another name', 'PATCH', `${accounts}/${id}`, by(ada.key, { name: 'Amman', bic: 'CBJOJOAX' }));
  await wire.call('Money stands on it', 'POST', `${accounts}/${id}/close`, by(ada.key));

  const empty = { ...body, identifiers: ['JO71CLOSED'], opening: { ...opening, amount: 0 } };
  const other = await wire.call('Another bank account', 'POST', accounts, by(ada.key, empty));
  await wire.call('Closed', 'POST', `${accounts}/${other.id}/close`, by(ada.key));

  await profiles({ wire, ada: ada.key });

  const entry = { reference: 'S1', endToEndId: 'E1', text: 'Invoice 7' };
  const run = await takeBankFile(
    taker,
    camt([
      { account: ACCOUNT, number: '1', opening: 100_000, entries: [{ amount: -25_000, ...entry }] },
      { account: ACCOUNT, number: '3', on: '2026-11-05', opening: 90_000, entries: [{ amount: 5_000 }] },
      { account: ACCOUNT, number: '4', on: '2026-11-06', opening: 1, entries: [{ amount: 1 }] },
    ]),
    { name: 'november.xml' },
  );
  const runs = '/v1/transactions/reconciliations';
  await wire.call('Runs', 'GET', `${runs}?status=completed`, by(ada.key));
  await wire.call('The run', 'GET', `${runs}/${publicId('reconciliation', run.id)}`, by(ada.key));
  await wire.call('Its timeline', 'GET', `${runs}/${publicId('reconciliation', run.id)}/timeline`, by(ada.key));

  const statements = '/v1/transactions/bank_statements';
  const { data } = await wire.call<Page>('Statements', 'GET', `${statements}?bank_account=${id}`, by(ada.key));
  const [last, held, posted] = data.map((one) => `${statements}/${one.id}`) as [string, string, string];
  await wire.call('One that is posted', 'GET', posted, by(ada.key));
  await wire.call('Its lines', 'GET', `${posted}/lines`, by(ada.key));
  await wire.call('Its file', 'GET', `${posted}/content`, by(ada.key));
  const lines = '/v1/transactions/bank_lines';
  const found = await wire.call<Page>(
    'By its reference',
    'GET',
    `${lines}?bank_reference=S1&booked_on[gte]=2026-11-01&amount[lte]=0`,
    by(ada.key),
  );
  await wire.call('A line', 'GET', `${lines}/${found.data[0]!.id}`, by(ada.key));
  const reason = { reason: 'The bank never made statement 2' };
  await wire.call('Approved before anybody decided', 'POST', `${held}/approve`, by(ada.key, { version: 2 }));
  await wire.call('Accepted', 'POST', `${held}/accept`, by(ada.key, reason));
  await wire.call('Approved by who accepted it', 'POST', `${held}/approve`, by(ada.key, { version: 3 }));
  await wire.call('Approved as it was', 'POST', `${held}/approve`, by(ben.key, { version: 2 }));
  await wire.call('Approved', 'POST', `${held}/approve`, by(ben.key, { version: 3 }));
  const rowId = parsePublicId('bankStatement', data[1]!.id)!;
  await until(
    () => bankStatements.find(pool, bookId, rowId),
    (statement) => statement?.status === 'posted',
  );
  await wire.call('Accepted again', 'POST', `${held}/accept`, by(ada.key, reason));
  await wire.call('What became of it', 'GET', `${held}/timeline`, by(ada.key));
  await wire.call('Rejected', 'POST', `${last}/reject`, by(ada.key, { reason: 'Sent by mistake' }));
  await wire.call('The second person agrees', 'POST', `${last}/approve`, by(ben.key, { version: 3 }));
  await wire.call('What became of the account', 'GET', `${accounts}/${id}/timeline`, by(ada.key));
  await restated({ product, wire, bookId, ada: ada.key, ben: ben.key });
  await matched({ product, wire, bookId, ada: ada.key, ben: ben.key });
  await ruled({ wire, account: `${accounts}/${id}`, ada: ada.key, ben: ben.key });
  await simulated({ wire, ada: ada.key });
  await uploaded({ wire, account: id, ada: ada.key });
  await unread({ product, wire, bookId, ada: ada.key });
}

/** Lines that are matched again, and what is refused of it. Files are uploaded in test/e2e/reconciliation-uploads.test.ts. */
async function uploaded({ wire, account, ada: key }: OfAccount) {
  const runs = '/v1/transactions/reconciliations';
  const body = { bank_account: account, through: '2026-11-02' };
  await wire.call('Matched again', 'POST', runs, { key, body, headers: { prefer: 'wait=20' } });
  const entries = [{ amount: 5, reference: 'DRY' }];
  const file = camt([{ account: ACCOUNT, number: '9', on: '2026-11-09', opening: 1, entries }]);
  const sent = { key, rawBody: file, headers: { 'content-type': 'application/xml' } };
  await wire.call('What would become of a file', 'POST', `${runs}?dry_run=true&name=november.xml`, sent);
  await wire.call('Half of it', 'POST', runs, { ...sent, rawBody: file.slice(0, 700) });
  const profile = 'csvp_01kec2v7qwf15vsgqhawh0d2r1';
  const csv = 'Date;Details;Amount\n13/11/2026;Charges;-0,500\n';
  await wire.call('A CSV without a profile', 'POST', `${runs}?bank_account=${account}`, {
    ...{ key, rawBody: csv, headers: { 'content-type': 'text/csv' } },
  });
  await wire.call('By no profile', 'POST', `${runs}?bank_account=${account}&profile=${profile}`, sent);
  await wire.call('Of no bank account', 'POST', runs, { key, body: { ...body, bank_account: UNKNOWN } });
  await wire.call('Without one', 'POST', runs, { key, body: {} });
}

/** A run whose file is not there any more. */
async function unread({ product, wire, bookId, ada: key }: Pick<ByTwo, 'product' | 'wire' | 'bookId' | 'ada'>) {
  const { pool, committer } = product.runtime;
  const bytes = Buffer.from(camt([{ account: ACCOUNT, number: '10', on: '2026-11-10', opening: 1, entries: [] }]));
  const checked = await checkBankParts([bytes]);
  const origin = { requestId: newId(), actor: 'worker:reports' };
  const none = { bankAccountId: null, profileId: null, comparedAccountId: null, known: undefined };
  const run = requestFileRun({ checked, name: 'lost.xml', ...none, ...origin });
  const id = (await committer.submit(bookId, run)).resourceId!;
  await until(
    () => reconciliations.find(pool, bookId, id),
    (found) => found?.status === 'failed',
  );
  const path = `/v1/transactions/reconciliations/${publicId('reconciliation', id)}`;
  await wire.call('A file that is not kept', 'GET', path, { key });
}

type OfAccount = Pick<Stage, 'wire'> & { readonly account: string; readonly ada: string };
const UNKNOWN = 'ba_01kec2v7qwf15vsgqhawh0d2r1';

/** In a currency that no other scene moves: the sandbox states what moved for all books. */
async function simulated({ wire, ada: key }: Pick<ByTwo, 'wire' | 'ada'>) {
  const opening = { on: new Date().toISOString().slice(0, 10), amount: 0 };
  const account = { name: 'Of the sandbox', currency: 'OMR', identifiers: ['OM12SIMULATED'], holds: 'customer_money' };
  const accounts = '/v1/transactions/bank_accounts';
  const { id } = await wire.call('One that the sandbox states', 'POST', accounts, {
    key,
    body: { ...account, opening },
  });
  const path = '/v1/simulations/bank_statements';
  await wire.call('What moved, and a charge', 'POST', path, { key, body: { bank_account: id, noise: ['fee'] } });
  await wire.call('A day before its opening', 'POST', path, { key, body: { bank_account: id, on: '2020-01-31' } });
}

/** What the columns of a bank's CSV are. */
async function profiles({ wire, ada }: Pick<ByTwo, 'wire' | 'ada'>) {
  const path = '/v1/transactions/profiles';
  const body = {
    ...{ name: 'Export of the portal', delimiter: ';', encoding: 'windows-1252', skip: 4, decimal: ',', group: '.' },
    columns: { booked_on: 'Buchungstag', amount: 'Betrag', balance: 'Saldo', text: ['Verwendungszweck'] },
    date_format: 'DD.MM.YYYY',
  };
  const by = (change: object = {}) => ({ key: ada, body: { ...body, ...change } });
  const { id } = await wire.call('A profile of CSV files', 'POST', path, by());
  await wire.call('One sign for both', 'POST', path, by({ group: ',' }));
  const columns = { booked_on: 'Date', debit: 'Debit', text: [] };
  await wire.call('No column of amounts', 'POST', path, by({ columns }));
  await wire.call('The profiles', 'GET', path, { key: ada });
  await wire.call('The profile', 'GET', `${path}/${id}`, { key: ada });
}

/** A match that a rule confirms and a person undoes, and one that two persons make. */
async function matched({ product, wire, bookId, ada, ben }: ByTwo) {
  const { pool, committer } = product.runtime;
  const taker = { bookId, pool, committer };
  const account = 'JO71MATCHED';
  await makeBankAccount(taker, { name: 'Payouts', identifiers: [account] });
  const [first, second] = await expectItems(taker, [
    { amount: -25_000n, endToEndId: 'MATCHED-1', ...LIKE_ANY_OTHER },
    { amount: -26_000n, endToEndId: 'MATCHED-2', ...LIKE_ANY_OTHER },
  ]);
  const entries = [{ amount: -25_000, endToEndId: 'MATCHED-1', reference: 'S1' }];
  await takeBankFile(taker, camt([{ account, number: '1', opening: 0, entries }]), { name: 'payouts.xml' });
  const matches = '/v1/transactions/matches';
  const { data } = await wire.call<Page>('Matches', 'GET', `${matches}?status=confirmed`, { key: ada });
  const { id } = data[0]!;
  const read = await wire.call<{ lines: { line: string }[] }>('A match of a rule', 'GET', `${matches}/${id}`, {
    key: ada,
  });
  const lines = read.lines.map(({ line }) => line);
  await wire.call('All its lines', 'GET', `${matches}/${id}/lines`, { key: ada });
  await wire.call('All its items', 'GET', `${matches}/${id}/items`, { key: ada });
  const reason = 'The bank confirms that it is of the second payout';
  const items = [publicId('expectedItem', second!.id)];
  const body = { lines, items, difference_to: 'differences', reason };
  await wire.call('Lines that are matched', 'POST', matches, { key: ada, body });
  await wire.call('Undone', 'POST', `${matches}/${id}/undo`, { key: ada, body: { reason: 'It is of another payout' } });
  await wire.call('Undone again', 'POST', `${matches}/${id}/undo`, {
    key: ada,
    body: { reason: 'It is of another payout' },
  });
  await wire.call('What became of the match', 'GET', `${matches}/${id}/timeline`, { key: ada });
  const without = { lines, items, reason };
  await wire.call('A difference to no account', 'POST', matches, { key: ada, body: without });
  const unknown = { ...body, items: [publicId('expectedItem', LIKE_ANY_OTHER.resourceId)] };
  await wire.call('An item that does not exist', 'POST', matches, { key: ada, body: unknown });
  const proposed = await wire.call('Proposed', 'POST', matches, { key: ada, body });
  const other = { lines, items: [publicId('expectedItem', first!.id)], reason: 'It may be of the first' };
  const wrong = await wire.call('Another proposal', 'POST', matches, { key: ada, body: other });
  await wire.call('Approved by who proposed it', 'POST', `${matches}/${proposed.id}/approve`, {
    ...{ key: ada, body: { version: 1 } },
  });
  await wire.call('Approved by another person', 'POST', `${matches}/${proposed.id}/approve`, {
    ...{ key: ben, body: { version: 1 } },
  });
  await wire.call('What another match has taken', 'POST', `${matches}/${wrong.id}/approve`, {
    ...{ key: ben, body: { version: 1 } },
  });
  await wire.call('Rejected by another person', 'POST', `${matches}/${wrong.id}/reject`, { key: ben });
  await wire.call('The line', 'GET', `/v1/transactions/bank_lines/${lines[0]}`, { key: ada });
}

interface Ruled extends Pick<Stage, 'wire'> {
  readonly account: string;
  readonly ada: string;
  readonly ben: string;
}

/** A version of matching rules that another person activates, and what banks are to show. */
async function ruled({ wire, account, ada, ben }: Ruled) {
  const rules = `${account}/rules`;
  const charges = { name: 'Charges', when: { direction: 'out', code: 'CHRG' }, amount_lte: 5_000, to: 'bank_charges' };
  const body = { tolerances: [{ party: 'sandbox', amount: 50, to: 'differences' }], bookings: [charges] };
  const first = await wire.call('Matching rules', 'POST', rules, { key: ada, body });
  const anything = { ...charges, when: { direction: 'out' } };
  await wire.call('A rule for anything', 'POST', rules, { key: ada, body: { bookings: [anything] } });
  await wire.call('Activated by who drafted them', 'POST', `${rules}/${first.id}/activate`, { key: ada });
  const second = await wire.call('Without a tolerance', 'POST', rules, { key: ada, body: { bookings: [charges] } });
  await wire.call('Activated by another person', 'POST', `${rules}/${second.id}/activate`, { key: ben });
  await wire.call('What is older than the active version', 'POST', `${rules}/${first.id}/activate`, { key: ben });
  await wire.call('The versions', 'GET', `${rules}?status=active`, { key: ada });
  await wire.call('A version', 'GET', `${rules}/${second.id}`, { key: ada });
  await wire.call('The bank account names it', 'GET', account, { key: ada });
  const items = '/v1/transactions/expected_items';
  const found = 'What is expected of the rail';
  const { data } = await wire.call<Page>(
    found,
    'GET',
    `${items}?party=rail&status=matched&resource=payout&amount[gte]=26000&amount[lte]=26000&expected_on[lte]=2999-12-31`,
    { key: ada },
  );
  await wire.call('An expected item', 'GET', `${items}/${data[0]!.id}`, { key: ada });
}

async function makeProfile({ bookId, committer }: Pick<Taker, 'bookId' | 'committer'>): Promise<string> {
  const form = {
    delimiter: ',',
    encoding: 'utf-8',
    skip: 0,
    decimal: '.',
    group: null,
    dateFormat: 'YYYY-MM-DD',
  } as const;
  const columns = { booked_on: 'Date', amount: 'Amount', text: [] };
  const of = { name: 'Portal', requestId: newId(), actor: 'test' };
  return (await committer.submit(bookId, saveProfile({ ...form, columns, ...of }))).resourceId!;
}

/** What items are about is another group's. */
const OTHERS = '01890a5d-ac96-774b-bcce-b302099a8057';
const LIKE_ANY_OTHER = { resourceId: OTHERS, ofBook: OTHERS, entryId: OTHERS };

interface ByTwo extends Pick<Stage, 'product' | 'wire'> {
  readonly bookId: BookId;
  readonly ada: string;
  readonly ben: string;
}

/** A statement that comes again with a line more, which two persons accept. */
async function restated({ product, wire, bookId, ada, ben }: ByTwo) {
  const { pool, committer } = product.runtime;
  const taker = { bookId, pool, committer };
  const opening = { on: '2026-11-01', amount: 0 };
  const body = { name: 'Savings', currency: 'JOD', identifiers: ['JO71RESTATED'], holds: 'own_money', opening };
  const { id } = await wire.call('A third one', 'POST', '/v1/transactions/bank_accounts', { key: ada, body });
  const statement = (entries: { amount: number; text: string }[]) =>
    takeBankFile(taker, camt([{ account: 'JO71RESTATED', number: '7', opening: 0, entries }]));
  await statement([{ amount: 10_000, text: 'Interest' }]);
  await statement([
    { amount: 10_000, text: 'Interest' },
    { amount: 2_000, text: 'Interest of October' },
  ]);
  const statements = '/v1/transactions/bank_statements';
  const said = 'Its statement, and the same with a line more';
  const { data } = await wire.call<Page>(said, 'GET', `${statements}?bank_account=${id}`, { key: ada });
  const [again, first] = data.map((one) => one.id) as [string, string];
  const reason = { reason: 'The bank sent it again' };
  await wire.call('Accepted too', 'POST', `${statements}/${again}/accept`, { key: ada, body: reason });
  await wire.call('Approved too', 'POST', `${statements}/${again}/approve`, { key: ben, body: { version: 3 } });
  await until(
    () => bankStatements.find(pool, bookId, parsePublicId('bankStatement', first)!),
    (found) => found?.status === 'restated',
  );
}

/** In a book of their own: reports of other scenes are in the operator's. */
async function feesAndReports({ product, wire }: Stage): Promise<void> {
  const { pool, committer } = product.runtime;
  const began = Date.now();
  const clock = { now: () => began };
  const bookId = await newBook(pool, { mode: 'test', clock });
  const scopes = ['journal:read', 'reconciliations:read', 'events:read'];
  const { key } = await addPersonOf(pool, bookId, { name: 'Eve', scopes });
  wire.readEventsWith(key, ['fee_collection.', 'acquirer_report.']);
  await collectFeesOf({ pool, bookId }, clock);
  const fees = '/v1/journal/fee_collections';
  const collections = await wire.call<Page>('Fees that the operator took', 'GET', fees, { key });
  await wire.call('Those of a day', 'GET', `${fees}/${collections.data[0]!.id}`, { key });
  const totals = [
    { gross: 100_000n, cost: 2_500n },
    { currency: 'USD', gross: 4_000n, cost: 4_000n },
  ];
  await postReports({ pool, committer }, bookId, [await keepReportOf({ pool, bookId }, { totals })]);
  const reports = '/v1/transactions/acquirer_reports';
  const { data } = await wire.call<Page>('Reports that are posted', 'GET', `${reports}?status=posted`, { key });
  await wire.call('A report', 'GET', `${reports}/${data[0]!.id}`, { key });
}

/** What a book's pool moved, as a book that is the operator's for this scene mirrors it: in the real one all books meet. */
async function mirrored({ product, wire, keys }: Stage) {
  const { pool, committer, atBank } = product.runtime;
  const began = Date.now();
  const clock = { now: () => began };
  const book = await openBook({ database: pool, forms: LATEST_FORMS, clock });
  const accountId = await book.account({ currency: 'JOD', amount: 100_000n });
  const payout = await book.accept({ accountId, amount: 25_000n, currency: 'JOD', fee: 0n });
  await book.settle(await book.reserve(payout), { status: 'paid', railReference: 'CLIQ-1' });
  await mirrorBooks({ pool, committer, atBank }, keys.testBookId, [book.id]);
  await book.close();
  const mirrors = '/v1/transactions/book_mirrors';
  const of = publicId('book', book.id);
  const { data } = await wire.call<Page>("What of a book's pool is mirrored", 'GET', `${mirrors}?book=${of}`);
  await wire.call('The lines of a day', 'GET', `${mirrors}/${data[0]!.id}`);
}

/** A book mirrors its own pool: rows of every table. */
async function mirrorOwn({ bookId, pool, committer }: Taker): Promise<Uuid> {
  const atBank = GROUPS.flatMap(({ atBank: words = [] }) => words);
  await mirrorBooks({ pool, committer, atBank }, bookId, [bookId]);
  const { rows } = await pool.query<{ id: Uuid }>('SELECT id FROM book_mirror WHERE book_id = $1 LIMIT 1', [bookId]);
  return rows[0]!.id;
}

/** A book compares an account of its own with a file: of its chart, so that nobody else moves it. */
async function compared({ wire }: Stage) {
  const chart = '/v1/journal/accounts';
  const own = (code: string, type: string) => ({ body: { code, name: code, type, currency: 'JOD' } });
  const { id: bank } = await wire.call('An own account at a bank', 'POST', chart, own('compared_bank', 'asset'));
  const { id: sales } = await wire.call('What it grows by', 'POST', chart, own('compared_sales', 'income'));
  const postings = [{ debit: bank, credit: sales, amount: 25_000, currency: 'JOD' }];
  const entries = '/v1/journal/entries';
  await wire.call('A sale', 'POST', entries, { body: { postings, external_id: 'INV-2026-0007' } });
  const runs = '/v1/transactions/reconciliations';
  const file = camt([{ opening: 0, entries: [{ amount: 25_000, endToEndId: 'INV-2026-0007' }, { amount: -500 }] }]);
  const sent = { rawBody: file, headers: { 'content-type': 'application/xml', prefer: 'wait=20' } };
  await wire.call('A file without an account', 'POST', runs, sent);
  await wire.call('With an account of nobody', 'POST', `${runs}?account=acct_01kec2v7qwf15vsgqhawh0d2r1`, sent);
  await wire.call('Compared with an account of the book', 'POST', `${runs}?account=${bank}&name=november.xml`, sent);
  await wire.call('What it matched', 'GET', '/v1/transactions/matches?status=confirmed', {});
  const open = `/v1/transactions/bank_lines?account=${bank}&status=open`;
  await wire.call('What nothing explains', 'GET', open, {});
  await wire.call('Compared again', 'POST', runs, { body: { account: bank }, headers: { prefer: 'wait=20' } });
}

/** The lines of one of its accounts as items of a comparison. */
async function compareOwn({ bookId, pool, committer }: Taker): Promise<void> {
  const accountId = chartAccountId(bookId, 'unallocated', 'JOD');
  await takeLines({ pool, committer, atBank: [], lineNames: [] }, { bookId, operatorBookId: bookId, accountId });
}

/** The account with an active version of rules that books nothing of what scenes take. */
async function withRules(taker: Taker, bankAccountId: Uuid): Promise<{ readonly rulesId: Uuid }> {
  await activeRules(taker, bankAccountId, { tolerances: [{ party: 'rail', amount: '1', to: 'differences' }] });
  const { rulesId } = (await bankAccounts.find(taker.pool, taker.bookId, bankAccountId))!;
  return { rulesId: rulesId! };
}

export const reconciliationOnWire: GroupOnWire = {
  scenes: [
    { file: 'fees-and-reports', play: feesAndReports },
    { file: 'reconciliation', play: reconciliation, alone: true },
    { file: 'book-mirrors', play: mirrored },
    { file: 'own-comparisons', play: compared },
  ],
  async objects({ product, keys }) {
    const { pool, committer } = product.runtime;
    const taker = { bookId: keys.testBookId, pool, committer };
    const bankAccount = await makeBankAccount(taker);
    const run = await takeBankFile(taker, camt([{ opening: 7, entries: [{ amount: 1_000, text: 'Rent' }] }]));
    const bankMatch = await makeMatch(taker);
    const feeCollection = await collectFeesOf(taker);
    const acquirerReport = await keepReportOf(taker, { totals: [{ gross: 100_000n, cost: 2_500n }] });
    await postReports(taker, taker.bookId, [acquirerReport]);
    const { rulesId } = await withRules(taker, bankAccount);
    const items = await pool.query<{ id: string }>('SELECT id FROM expected_items WHERE book_id = $1', [taker.bookId]);
    const csvProfile = await makeProfile(taker);
    const { rows } = await pool.query<{ statement: string; line: string }>(
      'SELECT statement_id AS statement, id AS line FROM bank_lines WHERE book_id = $1 AND bank_account_id = $2',
      [taker.bookId, bankAccount],
    );
    return {
      bankAccount: publicId('bankAccount', bankAccount),
      reconciliation: publicId('reconciliation', run.id),
      bankStatement: publicId('bankStatement', rows[0]!.statement),
      bankLine: publicId('bankLine', rows[0]!.line),
      bankMatch: publicId('bankMatch', bankMatch),
      feeCollection: publicId('feeCollection', feeCollection),
      acquirerReport: publicId('acquirerReport', acquirerReport),
      bookMirror: publicId('bookMirror', await mirrorOwn(taker)),
      bankAccountRules: publicId('bankAccountRules', rulesId),
      expectedItem: publicId('expectedItem', items.rows[0]!.id),
      csvProfile: publicId('csvProfile', csvProfile),
    };
  },
  async rows(book) {
    const taker = { bookId: book.id, pool: book.pool, committer: book.committer };
    await withRules(taker, await makeBankAccount(taker));
    await takeBankFile(taker, camt([{ opening: 0, entries: [{ amount: 1_000, text: 'Rent' }] }]));
    await compareOwn(taker);
    await makeMatch(taker);
    await collectFeesIn(book);
    await postReports(taker, book.id, [await keepReportOf(taker, { totals: [{ gross: 100_000n, cost: 2_500n }] })]);
    await mirrorOwn(taker);
    await makeProfile(taker);
  },
};
