/** Files of banks by API: what is accepted, what is refused with its place, and what a killed process leaves. */
import { createHash, randomUUID } from 'node:crypto';
import { request as open } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { Client, type List, type Problem, succeeded } from '../../scripts/harness/client.ts';
import { type ProductProcess, type Role, startProcess } from '../../scripts/harness/processes.ts';
import { until } from '../../scripts/harness/until.ts';
import type { BookId } from '../../src/ledger/book/book.ts';
import { operatorBooks } from '../../src/organisations/organisation-store.ts';
import type * as schemas from '../../src/reconciliation/runs/api/reconciliation-schemas.ts';
import { camt } from '../support/bank-statements.ts';
import { startContracted } from '../support/contracted.ts';
import { findingsOf } from '../support/findings.ts';
import { expectItems } from '../support/matched-bank.ts';
import { addPersonOf } from '../support/people.ts';
import { lookInto, makeRowsDue, type Product, testEnvironment } from '../support/product.ts';

type Run = (typeof schemas.reconciliation)['_zod']['output'];
type Answered = Run & Omit<Problem, keyof Run> & { candidates: { profile: string | null; decimal: string }[] };

const RUNS = '/v1/transactions/reconciliations';
const LIMITS = { RATE_LIMIT_WRITES_PER_SECOND: '10000', RATE_LIMIT_READS_PER_SECOND: '10000' };

let product: Product;
let behind: ReturnType<typeof lookInto>;
let operator: Client;
let operatorKey: string;
let bookId: BookId;
/** Each test has an account of its own. */
let account: string;
let bankAccount: string;
const processes: ProductProcess[] = [];
const clients: Client[] = [];

beforeAll(async () => {
  // The runs of this file are carried out by processes that tests start, and by this one where they start none.
  product = await startContracted({
    backend: 'postgres',
    pools: ['ledger', 'reports', 'sweeper'],
    environment: LIMITS,
  });
  behind = lookInto(product.database);
  bookId = (await operatorBooks(product.runtime.pool)).test;
  const scopes = ['reconciliations:read', 'reconciliations:write'];
  operatorKey = (await addPersonOf(product.runtime.pool, bookId, { name: 'Ada', scopes })).key;
  operator = product.client(operatorKey);
});
beforeEach(async () => {
  account = `JO71${randomUUID().replaceAll('-', '').slice(0, 20).toUpperCase()}`;
  bankAccount = (await openBankAccount(account)).id;
});
afterEach(async () => {
  for (const one of processes.splice(0)) await one.kill();
  await Promise.all(clients.splice(0).map((client) => client.close()));
});
afterAll(async () => {
  const findings = product && (await findingsOf({ pool: product.runtime.pool, id: bookId }));
  await behind?.end();
  await product?.close();
  expect(findings).toEqual([]);
});

const openBankAccount = async (identifier: string, change: object = {}) =>
  succeeded(
    await operator.post<{ id: string }>('/v1/transactions/bank_accounts', {
      ...{ name: 'Current account', currency: 'JOD', identifiers: [identifier], holds: 'customer_money' },
      ...{ opening: { on: '2026-11-01', amount: 0 }, ...change },
    }),
  );

interface Sent {
  readonly type?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly idempotencyKey?: string;
  readonly client?: Client;
  readonly wait?: number;
}

function upload(text: string, { type = 'application/xml', query = {}, idempotencyKey, client, wait }: Sent = {}) {
  const search = new URLSearchParams(query).toString();
  return (client ?? operator).send<Answered>('POST', search === '' ? RUNS : `${RUNS}?${search}`, {
    rawBody: text,
    headers: { 'content-type': type, ...(wait !== undefined && { prefer: `wait=${wait}` }) },
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
}

const runOf = (id: string) => operator.read<Run>(`${RUNS}/${id}`);
const ended = (id: string) =>
  until(
    async () => {
      await makeRowsDue(behind);
      return runOf(id);
    },
    ({ status }) => status === 'completed' || status === 'failed',
  );
const linesOf = async () =>
  (await operator.read<List<{ id: string; amount: number }>>(`/v1/transactions/bank_lines?bank_account=${bankAccount}`))
    .data;
const named = () => randomUUID().slice(0, 8).toUpperCase();

async function counts() {
  const { rows } = await behind.query<{ files: number; runs: number }>({
    text: `SELECT (SELECT count(*)::int FROM intake_files WHERE book_id = $1) AS files,
      (SELECT count(*)::int FROM reconciliations WHERE book_id = $1) AS runs`,
    values: [bookId],
  });
  return rows[0]!;
}

/** A statement of so many payouts, and one line that nobody expects. */
async function statementOf(payouts: number, change: object = {}): Promise<string> {
  const prefix = named();
  const items = Array.from({ length: payouts }, (_, at) => ({ amount: -(1_000 + at), endToEndId: `${prefix}-${at}` }));
  const { pool, committer } = product.runtime;
  await expectItems(
    { bookId, pool, committer },
    items.map(({ amount, endToEndId }) => ({ amount: BigInt(amount), endToEndId })),
  );
  return camt([{ account, opening: 0, entries: [...items, { amount: 7, reference: prefix }], ...change }], {
    id: prefix,
  });
}

test('a file is accepted, carried out, and the same bytes are the same run', async () => {
  const text = await statementOf(3);
  const before = await counts();
  const dry = await upload(text, { query: { dry_run: 'true', name: 'november.xml' } });
  expect([dry.status, dry.body]).toMatchObject([
    200,
    {
      ...{ dry_run: true, ok: false, status: 'pending', lines: 4, matched: 3, open: 1, digest: null },
      source: { name: 'november.xml' },
      verdicts: [{ account, verdict: 'posts', lines: 4 }],
      left: [{ kind: 'inbound_unallocated', lines: 1 }],
    },
  ]);
  expect(await counts()).toEqual(before);

  const idempotencyKey = randomUUID();
  const first = await upload(text, { query: { name: 'november.xml' }, idempotencyKey });
  expect([first.status, first.body]).toMatchObject([
    202,
    {
      ...{ object: 'reconciliation', status: 'pending', statements: 1, lines: 0, digest: null },
      source: {
        ...{ name: 'november.xml', format: 'camt.053', bytes: Buffer.byteLength(text), profile: null },
        sha256: createHash('sha256').update(text).digest('hex'),
      },
    },
  ]);
  const run = await ended(first.body.id);
  expect(run).toMatchObject({
    ...{ status: 'completed', lines: 4, matched: 3, open: 1, findings: [], rules_version: null, failure: null },
    by_rule: [{ rule: 'end_to_end_id', lines: 3, amount: 3_003 }],
    progress: { bytes: Buffer.byteLength(text), lines: 4 },
    position: [{ bank_account: bankAccount, bank: -2_996, books: -2_996, difference: 0 }],
    digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    mirrored_through: expect.any(Number),
  });
  const replayed = await upload(text, { query: { name: 'november.xml' }, idempotencyKey });
  expect([replayed.text, replayed.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
  const other = await upload(`${text}\n`, { query: { name: 'november.xml' }, idempotencyKey });
  expect(other.body.code).toBe('idempotency_key_reused');
  const again = await upload(text, { query: { name: 'another name' } });
  expect([again.status, again.body]).toMatchObject([202, { id: run.id, status: 'completed', digest: run.digest }]);
  expect(await runOf(run.id)).toEqual(run);
  expect(await linesOf()).toHaveLength(4);

  // What became expected meanwhile is matched again, up to a day, by JSON.
  const { pool, committer } = product.runtime;
  const [line] = (await linesOf()).filter(({ amount }) => amount === 7);
  const { bank_reference: reference } = await operator.read<{ bank_reference: string }>(
    `/v1/transactions/bank_lines/${line!.id}`,
  );
  await expectItems({ bookId, pool, committer }, [{ amount: 7n, bankReference: reference, endToEndId: named() }]);
  const early = await operator.post<Answered>(
    RUNS,
    { bank_account: bankAccount, through: '2026-11-02' },
    { headers: { prefer: 'wait=20' } },
  );
  expect([early.status, early.body]).toMatchObject([
    202,
    { source: null, through: '2026-11-02', bank_account: bankAccount, status: 'completed', matched: 0, open: 0 },
  ]);
  const whole = await operator.post<Answered>(RUNS, { bank_account: bankAccount }, { headers: { prefer: 'wait=20' } });
  expect(whole.body).toMatchObject({
    status: 'completed',
    matched: 1,
    open: 0,
    position: [{ unallocated: expect.any(Number) }],
  });
  expect(whole.body.digest).not.toBe(early.body.digest);
});

test('what is not whole is refused with its place, and nothing of it is kept', async () => {
  const text = await statementOf(1);
  const before = await counts();
  const idempotencyKey = randomUUID();
  const half = await upload(text.slice(0, 700), { idempotencyKey });
  expect([half.status, half.body]).toMatchObject([
    422,
    { code: 'file_invalid', place: { line: expect.any(Number) }, findings: [{ code: 'file_invalid' }] },
  ]);
  const entities = await upload(`<!DOCTYPE a [<!ENTITY b "c">]>${text}`);
  expect(entities.body).toMatchObject({ code: 'file_invalid', place: { line: 1 } });
  const trailer = await upload('01,BANK,OPERATOR,261103,0800,1,,,2/\n99,0,1,9/\n', { type: 'text/plain' });
  expect(trailer.body.code).toBe('file_invalid');
  expect((await upload('', { type: 'text/plain' })).body.code).toBe('file_invalid');
  const another = await openBankAccount(`JO71OTHER${named()}`);
  const others = await upload(text, { query: { bank_account: another.id } });
  expect(others.body).toMatchObject({ code: 'file_invalid', place: { line: expect.any(Number) } });
  expect(others.body.detail).toContain(another.id);
  const none = await upload(text, { query: { bank_account: 'ba_01kec2v7qwf15vsgqhawh0d2r1' } });
  expect([none.status, none.body]).toMatchObject([422, { code: 'bank_account_unknown', param: 'bank_account' }]);
  expect((await upload(text, { type: 'application/pdf' })).body.code).toBe('unsupported_media_type');
  const { client } = await product.organisation();
  expect((await upload(text, { client })).body.code).toBe('permission_denied');
  await cutOff(text);
  expect(await counts()).toEqual(before);
  // The key is unused, and the whole file is taken under it.
  expect((await upload(text, { idempotencyKey })).status).toBe(202);
});

/** A client whose connection ends in the middle of its file. */
async function cutOff(text: string): Promise<void> {
  const { hostname, port } = new URL(product.baseUrl);
  await new Promise<void>((resolve) => {
    const request = open({
      ...{ hostname, port, path: RUNS, method: 'POST' },
      headers: {
        authorization: `Bearer ${operatorKey}`,
        'content-type': 'application/xml',
        'content-length': Buffer.byteLength(text),
      },
    });
    request.on('error', () => resolve());
    request.write(text.slice(0, 500), () => request.destroy(new Error('cut off')));
  });
  // The book's next upload is accepted once the server has noticed.
  await until(
    () => upload('<a/>'),
    ({ status }) => status !== 429,
  );
}

test('a statement of nobody is held and says so; once its account is made, it is posted by itself', async () => {
  const identifier = `JO71LATER${named()}`;
  const text = camt([{ account: identifier, opening: 0, entries: [{ amount: 5 }] }]);
  const { body } = await upload(text, { wait: 20 });
  expect(body).toMatchObject({ status: 'completed', lines: 0, findings: [{ code: 'bank_account_unknown' }] });
  await openBankAccount(identifier);
  const posted = await until(
    () => runOf(body.id),
    ({ lines }) => lines === 1,
  );
  expect(posted).toMatchObject({ findings: [], position: [{ books: 5 }] });
  expect((await upload(text)).body.id).toBe(body.id);
});

test('a version of rules is read and activated by its number as by its id', async () => {
  const rules = `/v1/transactions/bank_accounts/${bankAccount}/rules`;
  const booking = { name: 'Charges', when: { direction: 'out', code: 'CHRG' }, amount_lte: 5_000, to: 'bank_charges' };
  const drafted = succeeded(await operator.post<{ id: string; number: number }>(rules, { bookings: [booking] }));
  expect(await operator.read(`${rules}/${drafted.number}`)).toEqual(drafted);
  const scopes = ['reconciliations:read', 'reconciliations:write', 'reconciliations:approve'];
  const ben = product.client((await addPersonOf(product.runtime.pool, bookId, { name: 'Ben', scopes })).key);
  clients.push(ben);
  expect((await ben.post<Problem>(`${rules}/2/activate`, {})).body).toMatchObject({ code: 'resource_not_found' });
  expect((await ben.post<Problem>(`${rules}/first/activate`, {})).body).toMatchObject({ code: 'resource_not_found' });
  const active = succeeded(await ben.post<object>(`${rules}/1/activate`, {}));
  expect(active).toMatchObject({ id: drafted.id, status: 'active' });
});

test('a CSV needs a profile: the candidates are named, then it is read by one', async () => {
  const csv = 'Date;Details;Amount\n02/11/2026;Transfer;1,250\n13/11/2026;Charges;-0,500\n';
  const sent = { type: 'text/csv', query: { bank_account: bankAccount } };
  const asked = await upload(csv, sent);
  expect([asked.status, asked.body.code, asked.body.candidates]).toMatchObject([
    422,
    'profile_needed',
    [{ profile: null, delimiter: ';', decimal: ',', date_format: 'DD/MM/YYYY' }],
  ]);
  // Thousands, or three decimals; days first, or months.
  const twice = await upload('Date;Amount\n02/11/2026;1,250\n03/11/2026;2,500\n', sent);
  expect(twice.body.candidates.length).toBeGreaterThan(1);
  expect((await upload('Dear bank\n', sent)).body.code).toBe('file_invalid');

  const { profile: _, ...form } = asked.body.candidates[0]!;
  const saved = succeeded(
    await operator.post<{ id: string }>('/v1/transactions/profiles', { name: 'Portal', ...form }),
  );
  expect((await upload(csv, sent)).body.candidates).toMatchObject([{ profile: saved.id }]);
  const alone = await upload(csv, { type: 'text/csv', query: { profile: saved.id } });
  expect(alone.body).toMatchObject({ code: 'parameter_missing', param: 'bank_account' });
  const query = { bank_account: bankAccount, profile: saved.id };
  const letter = await upload(csv.replace('1,250', '1,2S0'), { type: 'text/csv', query });
  expect(letter.body).toMatchObject({ code: 'file_invalid', place: { line: 2 } });
  const { body } = await upload(csv, { type: 'text/csv', query, wait: 20 });
  expect(body).toMatchObject({ status: 'completed', lines: 2, source: { format: 'CSV', profile: saved.id } });
});

test('lines and items of a match, page by page; an unknown party is told who there is', async () => {
  const { body } = await upload(await statementOf(1), { wait: 20 });
  expect(body.matched).toBe(1);
  const matches = '/v1/transactions/matches';
  const { data } = await operator.read<List<{ id: string; lines: object[]; items: { item: string }[] }>>(
    `${matches}?status=confirmed&limit=1`,
  );
  const [match] = data;
  const lines = await operator.read<List<object>>(`${matches}/${match!.id}/lines`);
  expect(lines).toMatchObject({ data: [{ sequence: 1, ...match!.lines[0] }], has_more: false });
  const items = await operator.read<List<object>>(`${matches}/${match!.id}/items?limit=1`);
  expect(items).toMatchObject({ data: [{ sequence: 1, ...match!.items[0] }], has_more: false });
  const parties = [{ party: 'nobody', accounts: [], names: [], settles: 'single' }];
  const refused = await operator.patch(`/v1/transactions/bank_accounts/${bankAccount}`, { parties });
  expect(refused.body).toMatchObject({ code: 'parameter_invalid', param: '/parties/0/party' });
  expect(refused.body.detail).toMatch(/^Expects the name of a rail or an acquirer: .*sandbox/);
});

test('a file that was kept and cannot be read fails its run, and may come again', async () => {
  const text = await statementOf(1);
  const { body } = await upload(text, { idempotencyKey: randomUUID(), client: await apiAlone() });
  await behind.query({
    text: `UPDATE intake_file_parts SET bytes = set_byte(bytes, 20, get_byte(bytes, 20) # 1) WHERE book_id = $1 AND sha256 = $2`,
    values: [bookId, Buffer.from(body.source!.sha256, 'hex')],
  });
  const failed = await ended(body.id);
  expect(failed).toMatchObject({ status: 'failed', lines: 0, failure: expect.stringContaining('was changed') });
  const again = await upload(text);
  expect(again.body.id).not.toBe(body.id);
  expect((await ended(again.body.id)).status).toBe('failed');
});

async function start(role: Role, failpoints = ''): Promise<ProductProcess> {
  const environment = testEnvironment(product.database, undefined, { ...LIMITS, LOG_LEVEL: 'warn' });
  const started = await startProcess(role, environment, { failpoints });
  processes.push(started);
  return started;
}

async function apiAlone(failpoints = ''): Promise<Client> {
  const client = new Client((await start('api', failpoints)).url, operatorKey);
  clients.push(client);
  return client;
}

test('an API that is killed between the bytes and the run leaves no run, and the same key makes one', async () => {
  const text = await statementOf(2);
  const before = await counts();
  const client = await apiAlone('reconciliation.file.kept=kill');
  const idempotencyKey = randomUUID();
  await expect(upload(text, { client, idempotencyKey })).rejects.toThrow();
  expect(await counts()).toEqual({ files: before.files + 1, runs: before.runs });
  const { body } = await upload(text, { idempotencyKey });
  expect(await ended(body.id)).toMatchObject({ status: 'completed', lines: 3, matched: 2 });
  expect(await counts()).toEqual({ files: before.files + 1, runs: before.runs + 1 });
});

test.each(['reconciliation.checked', 'reconciliation.statement.taken', 'reconciliation.matched'])(
  'a worker that is killed at %s is followed by another: each line once, and the run counts all of it',
  async (name) => {
    const first = await statementOf(2);
    const second = camt([{ account, number: '2', on: '2026-11-04', opening: -1_994, entries: [{ amount: 9 }] }], {
      id: named(),
    });
    await product.stopPools();
    const worker = await start(['reports'], `${name}=kill`);
    const { body } = await upload(first);
    await worker.ended();
    expect(worker.output).toContain(`failpoint ${name}: SIGKILL`);
    await product.startPools(['ledger', 'reports', 'sweeper']);
    const run = await ended(body.id);
    expect(run).toMatchObject({
      ...{ status: 'completed', lines: 3, matched: 2, by_rule: [{ rule: 'end_to_end_id', lines: 2, amount: 2_001 }] },
      position: [{ bank: -1_994, books: -1_994 }],
    });
    expect(await linesOf()).toHaveLength(3);
    expect(await ended((await upload(second)).body.id)).toMatchObject({ lines: 1, position: [{ books: -1_985 }] });
  },
);
