/**
 * Personal text over the whole product: markers in every field that takes text, receivers that answer with what they were
 * sent, replays and proofs. Before the erasure nothing that is kept for long holds a marker, after it nothing at all does,
 * also of objects that were made before the contract, and what was proved before is still proved.
 */
import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Account, Client, Delivery, Endpoint, Event, List, Payout } from '../../scripts/harness/client.ts';
import { programOf } from '../../scripts/harness/programs.ts';
import { until } from '../../scripts/harness/until.ts';
import { createAudit } from '../../src/audit/audit.ts';
import { migrate } from '../../src/db/migrate.ts';
import type { Finding } from '../../src/group/finding.ts';
import { GROUPS, RIGHTS } from '../../src/groups.ts';
import { createLogger } from '../../src/process/log.ts';
import type { CheckpointView } from '../../src/proofs/checkpoint.ts';
import { judgeCheckpoint, judgeProof } from '../../src/proofs/judge-proof.ts';
import type { ConsistencyProof, InclusionProof } from '../../src/proofs/prove.ts';
import { systemClock } from '../../src/values/clock.ts';
import { newId, publicId } from '../../src/values/ids.ts';
import { verifyDatabase } from '../../src/verify/verify-database.ts';
import { verifySince } from '../../src/verify/verify-since.ts';
import { checkpointIn, newSigningKey } from '../support/checkpoints.ts';
import { eraseDirectly } from '../support/erase.ts';
import { lookInto, type OrganisationKeys, type Product, startProduct } from '../support/product.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const log = createLogger('silent', 'test');
const key = newSigningKey();
const MARKED = /marker-/;
const LONG_KEPT = ['events', 'idempotency_keys', 'webhook_attempts', 'rail_answers'];

let product: Product;
let keys: OrganisationKeys;
let client: Client;
let echo: Server;
let behind: ReturnType<typeof lookInto>;
/** Bodies that the receiver was sent, by the id of their event. */
const received = new Map<string, string>();

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres', earlierForms: '0.2.0' });
  ({ keys, client } = await product.organisation());
  behind = lookInto(product.database);
  echo = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const event = JSON.parse(body) as Event;
      received.set(event.id, body);
      // As it came, indented, in ASCII, and as a person would say it.
      const { object } = event.data;
      const inAscii = JSON.stringify(event.data).replace(
        /[^ -~]/g,
        (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
      response.end(
        `${body}\n${JSON.stringify(object, null, 2)}\n${inAscii}\nHello ${object.name ?? object.description}`,
      );
    });
  });
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  echo?.close();
  await behind?.end();
  await product?.close();
});

interface Planted {
  account: Account;
  payout: Payout;
  endpoint: Endpoint;
  /** Answers that were sent under a key, with how to ask for them again. */
  replays: { first: string; again: () => Promise<{ text: string }> }[];
}

async function plant(): Promise<Planted> {
  const replays: Planted['replays'] = [];
  const post = async <Body>(path: string, body: object): Promise<Body> => {
    const idempotencyKey = newId();
    const again = () => client.post<Body>(path, body, { idempotencyKey });
    const answer = await again();
    expect(answer.status, answer.text).toBeLessThan(300);
    replays.push({ first: answer.text, again });
    return answer.body as Body;
  };
  const endpoint = await post<Endpoint>('/v1/webhooks', {
    url: `http://127.0.0.1:${(echo.address() as AddressInfo).port}/`,
    description: 'marker-endpoint Zoë',
    metadata: { 'marker-of': 'marker-endpoint-metadata' },
  });
  const account = await post<Account>('/v1/accounts', {
    currency: 'JOD',
    name: 'marker-account "Zoë"',
    metadata: { z: 'marker-z', a: 'marker-a' },
  });
  await post('/v1/simulations/inbound_transfers', {
    account: account.id,
    amount: 1_000_000,
    currency: 'JOD',
    description: 'marker-transfer',
  });
  const changed = { name: 'marker-renamed', metadata: { b: 'marker-b', key: 'k' } };
  expect((await client.send('PATCH', `/v1/accounts/${account.id}`, { body: changed })).status).toBe(200);
  await client.send('PATCH', `/v1/webhooks/${endpoint.id}`, { body: { description: 'marker-endpoint-again' } });
  await post(`/v1/webhooks/${endpoint.id}/test`, {});
  const payout = await post<Payout>('/v1/payouts', {
    account: account.id,
    amount: 500,
    currency: 'JOD',
    destination: { type: 'cliq', alias: 'PENDING' },
    description: 'marker-payout\n"Zoë"',
    metadata: { zulu: 'marker-zulu', a: 'marker-payout-a' },
  });
  await until(
    () => client.payout(payout.id),
    ({ next_inquiry_at: asked }) => asked !== null,
  );
  // A use case whose key is looked up first: its replay is another than that of the others.
  await post(`/v1/simulations/payouts/${payout.id}/complete`, {});
  await client.payoutUntil(payout.id, 'paid');
  await until(
    () => client.read<List<Delivery>>(`/v1/webhooks/${endpoint.id}/deliveries?limit=100`),
    ({ data }) => data.length > 0 && data.every(({ status }) => status === 'delivered'),
  );
  return { account, payout, endpoint, replays };
}

/** The tables whose rows hold a marker, in any column. */
async function tablesWithMarkers(only?: readonly string[]): Promise<string[]> {
  const { rows } = await behind.query<{ schemaname: string; tablename: string }>(
    `SELECT schemaname, tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY tablename`,
  );
  const found: string[] = [];
  for (const { schemaname, tablename } of rows) {
    if (only && !only.includes(tablename)) continue;
    const { rows: texts } = await behind.query<{ text: string }>(
      `SELECT to_jsonb(t)::text AS text FROM "${schemaname}"."${tablename}" AS t`,
    );
    const bytes = (text: string) =>
      [...text.matchAll(/\\\\x([0-9a-f]+)/g)].map(([, hex]) => Buffer.from(hex!, 'hex').toString('latin1')).join();
    if (texts.some(({ text }) => MARKED.test(text) || MARKED.test(bytes(text)))) found.push(tablename);
  }
  return found;
}

/** Erases by the command, as an operator does. */
async function eraseByCommand(id: string): Promise<void> {
  const environment = {
    ...process.env,
    DATABASE_URL: product.database.applicationUrl,
    DATABASE_OWNER_URL: product.database.ownerUrl,
  };
  const ask = async (...options: string[]) => {
    const command = [...programOf('scripts/ops.ts'), 'erase', id, '--json', ...options];
    const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: ROOT, env: environment });
    return JSON.parse(stdout) as { by: string; erased_at: string; places: { place: string; rows: number }[] };
  };
  await expect(ask()).rejects.toThrow('Nothing was erased');
  expect((await ask('--dry-run')).places.some(({ rows }) => rows > 0)).toBe(true);
  expect(await ask('--yes', '--by', 'ann')).toMatchObject({ by: 'operator:ann', erased_at: expect.any(String) });
}

async function findings(): Promise<Finding[]> {
  const found: Finding[] = [];
  const onFinding = (finding: Finding) => void found.push(finding);
  const { pool } = product.runtime;
  await verifyDatabase(pool, { groups: GROUPS, onFinding });
  await verifySince(pool, {
    groups: GROUPS,
    since: { sequence: 1n },
    clock: systemClock,
    bookId: keys.testBookId,
    onFinding,
  });
  const counts = { rows: () => undefined, findings: () => undefined, round: () => undefined };
  const lines = pino({ level: 'warn' }, { write: (line: string) => void found.push(JSON.parse(line)) });
  const audit = createAudit({ groups: GROUPS, pool, clock: systemClock, log: lines, counts });
  while (!(await audit.turn()));
  return found;
}

const checkpoint = async () => {
  const made = await checkpointIn(product.database, keys.testBookId, key);
  return client.read<CheckpointView>(`/v1/journal/checkpoints/${publicId('checkpoint', made.id)}`);
};

test('text is kept apart after the contract, and erased without a trace, of earlier objects too', async () => {
  const before = await plant();
  expect(await tablesWithMarkers(LONG_KEPT)).toEqual(['events', 'idempotency_keys', 'webhook_attempts']);
  const older = await checkpoint();
  await migrate({ rights: RIGHTS, ...product.database, log, contract: { watchMs: 0 } });
  await until(() => product.runtime.forms.textApart);

  const { rows: counted } = await behind.query<{ sequence: bigint }>('SELECT max(sequence) AS sequence FROM events');
  const after = await plant();
  // Its event shows the same name as it is and as it was.
  expect((await client.patch(`/v1/accounts/${after.account.id}`, { external_id: 'renamed' })).status).toBe(200);
  // What was written from then on: earlier rows still hold what they held.
  const { rows: later } = await behind.query<{ text: string }>(
    `SELECT payload AS text FROM events WHERE sequence > $1 UNION ALL
     SELECT body FROM idempotency_keys WHERE created_at >= (SELECT contracted_at FROM installation) UNION ALL
     SELECT response FROM webhook_attempts WHERE event_sequence > $1 UNION ALL
     SELECT answer::text FROM rail_answers WHERE received_at >= (SELECT contracted_at FROM installation)`,
    [counted[0]!.sequence],
  );
  expect(later.length).toBeGreaterThan(10);
  expect(later.filter(({ text }) => MARKED.test(text))).toEqual([]);

  const planted = [before, after];
  for (const { replays } of planted) for (const { first, again } of replays) expect((await again()).text).toBe(first);
  const { text: listed } = await client.get<List<Event>>('/v1/events?limit=100');
  for (const body of received.values()) expect(listed).toContain(body);
  expect(listed).toMatch(MARKED);

  const newer = await checkpoint();
  const proofs: (InclusionProof | ConsistencyProof)[] = [
    await client.read<ConsistencyProof>(`/v1/journal/checkpoints/${newer.id}/consistency?from=${older.id}`),
  ];
  for (const entry of (await client.payout(after.payout.id)).journal_entries)
    proofs.push(await client.read<InclusionProof>(`/v1/journal/entries/${entry}/proof`));
  expect(await findings()).toEqual([]);

  await eraseByCommand(before.payout.id);
  for (const { payout, endpoint, account } of planted)
    for (const { id } of [payout, endpoint, account]) expect(await eraseDirectly(product, id)).toEqual([]);

  expect(await tablesWithMarkers()).toEqual([]);
  expect(await findings()).toEqual([]);
  for (const { payout, account, endpoint, replays } of planted) {
    expect(await client.payout(payout.id)).toMatchObject({ description: null, remittance: null, metadata: null });
    expect(await client.read<Account>(`/v1/accounts/${account.id}`)).toMatchObject({ name: null, metadata: null });
    expect(await client.read<Endpoint>(`/v1/webhooks/${endpoint.id}`)).toMatchObject({
      description: null,
      metadata: null,
    });
    for (const { again } of replays) expect((await again()).text).not.toMatch(MARKED);
    for (const group of [`payouts/${payout.id}`, `accounts/${account.id}`])
      expect((await client.get(`/v1/${group}/timeline`)).text).not.toMatch(MARKED);
  }
  const shown = await client.get<List<Event>>('/v1/events?limit=100');
  expect(shown.text).not.toMatch(MARKED);
  const erasures = shown.body.data.filter(({ type }) => type === 'personal_data.erased');
  expect(erasures.map(({ data }) => data.object.id).sort()).toEqual(
    planted.flatMap(({ payout, account, endpoint }) => [payout.id, account.id, endpoint.id]).sort(),
  );
  // The lists still show them, and new text may follow.
  expect((await client.read<List<Account>>('/v1/accounts')).data).toHaveLength(2);
  const renamed = await client.send<Account>('PATCH', `/v1/accounts/${after.account.id}`, { body: { name: 'New' } });
  expect(renamed.body).toMatchObject({ name: 'New', metadata: null });

  const last = await checkpoint();
  proofs.push(await client.read<ConsistencyProof>(`/v1/journal/checkpoints/${last.id}/consistency?from=${older.id}`));
  const kept = [older, newer, last];
  const judged = [
    ...kept.flatMap((one) => judgeCheckpoint(one, [])),
    ...proofs.flatMap((one) => judgeProof(one, kept)),
  ];
  expect(judged.filter(({ isSound }) => !isSound)).toEqual([]);
});
