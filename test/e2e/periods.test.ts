/** Periods over the wire: who closes days, what closed days refuse, who opens them again, and what verification finds. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { program as closeCommand } from '../../scripts/close.ts';
import type { Account, Answer, Client, Entry, List, Problem } from '../../scripts/harness/client.ts';
import { until } from '../../scripts/harness/client.ts';
import { program as verifyCommand } from '../../scripts/verify.ts';
import { addDays } from '../../src/calendar/day.ts';
import type { ApiError } from '../../src/errors/errors.ts';
import { Following } from '../../src/idempotency/following.ts';
import { carryOut } from '../../src/idempotency/use-case.ts';
import { requestClose } from '../../src/journal/periods/close-books.ts';
import type { BookId } from '../../src/ledger/book/book.ts';
import { signingKeyFrom } from '../../src/proofs/signing-key.ts';
import { newId, parsePublicId, publicId } from '../../src/values/ids.ts';
import { newSigningSeed } from '../support/checkpoints.ts';
import { findingsOf } from '../support/findings.ts';
import { addPersonOf } from '../support/people.ts';
import { lookInto, type Product, startProduct } from '../support/product.ts';
import { runHere } from '../support/run-here.ts';

interface Period {
  id: string;
  request_id: string;
  status: string;
  through: string;
  through_sequence: number;
  chain_hash: string;
  trial_balance_digest: string | null;
  findings: { check: string }[];
  findings_total: number;
  open: { type: string; count: number }[];
  actor: { type: string; id: string };
  reason: string | null;
  reopened_by: { id: string } | null;
  reopening_reason: string | null;
}
interface Booked {
  posted_at: string;
  effective_at: string;
  occurred_on: string | null;
}
interface Journal {
  time_zone: string;
  closed_through: string | null;
  through_sequence: number;
  chain_hash: string;
  last_posted_at: string;
}

const CLOSE = '/v1/journal/periods/close';
const REOPEN = '/v1/journal/periods/reopen';
let product: Product;
let service: Client;
let ada: Client;
let ben: Client;
let adaKey: string;
let adaIs: string;
let benIs: string;
let bookId: string;
let anna: Account;
let bert: Account;
let today: string;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres' });
});
afterAll(async () => {
  await product?.close();
});

async function meet(): Promise<void> {
  const organisation = await product.organisation();
  service = organisation.client;
  bookId = organisation.keys.testBookId;
  const person = async (name: string) => addPersonOf(product.runtime.pool, bookId, { name });
  const [first, second] = [await person('Ada'), await person('Ben')];
  [ada, ben] = [product.client(first.key), product.client(second.key)];
  adaKey = first.key;
  [adaIs, benIs] = [first.id, second.id];
}

const journal = () => service.read<Journal>('/v1/journal');
const read = (id: string) => service.read<Period>(`/v1/journal/periods/${id}`);

async function stepsOf(id: string): Promise<unknown[]> {
  return (await service.read<{ data: unknown[] }>(`/v1/journal/periods/${id}/timeline`)).data;
}
const settled = (id: string) =>
  until(
    () => read(id),
    ({ status }) => status !== 'pending',
  );
async function close(through: string, by: Client = ada, reason?: string): Promise<Period> {
  const answer = await by.post<Period>(CLOSE, { through, ...(reason && { reason }) });
  expect(answer.status, answer.text).toBe(202);
  return settled(answer.body.id);
}
const move = (amount: number, more: object = {}): Promise<Answer<Entry & Problem>> =>
  service.post('/v1/journal/entries', {
    postings: [{ debit: anna.id, credit: bert.id, amount, currency: 'JOD' }],
    ...more,
  });

describe('closed days', () => {
  beforeEach(async () => {
    await meet();
    anna = await service.openAccount({ funds: 10_000 });
    bert = await service.openAccount({ funds: 0 });
    today = (await journal()).last_posted_at.slice(0, 10);
  });

  test('days are closed, with what was in by then', async () => {
    const yesterday = addDays(today, -1);
    await move(700, { effective_on: yesterday });
    const { through_sequence, chain_hash } = await journal();
    const answer = await ada.post<Period>(CLOSE, { through: yesterday, reason: 'The day' });
    expect(answer.body).toMatchObject({
      ...{ status: 'pending', through: yesterday, through_sequence, chain_hash, trial_balance_digest: null },
      ...{ reason: 'The day', actor: { type: 'person', id: adaIs }, findings: [] },
    });
    const closed = await settled(answer.body.id);
    expect(closed).toMatchObject({ status: 'closed', findings: [], findings_total: 0, through_sequence });
    expect(closed.trial_balance_digest).toMatch(/^[0-9a-f]{64}$/);
    expect(closed.open.map(({ type }) => type).sort()).toEqual([
      'exceptions_open',
      'payouts_unknown',
      'settlements_received',
    ]);
    expect((await journal()).closed_through).toBe(yesterday);
    const { data } = await service.read<List<Period>>('/v1/journal/periods?status=closed');
    expect(data).toEqual([closed]);
    expect(await findingsOf({ pool: product.runtime.pool, id: bookId })).toEqual([]);
  });

  test('an entry into a closed day is refused, and its reversal takes effect today', async () => {
    const yesterday = addDays(today, -1);
    const entry = (await move(700, { effective_on: yesterday })).body;
    await close(yesterday);
    const refused = await move(1, { effective_on: yesterday });
    expect(refused.body).toMatchObject({
      ...{ status: 422, code: 'period_closed', closed_through: yesterday, first_open_day: today },
    });
    expect((await move(1, { effective_on: addDays(today, -9) })).body.code).toBe('period_closed');
    const reversal = await service.post<Entry & { effective_at: string; occurred_on: string | null }>(
      `/v1/journal/entries/${entry.id}/reverse`,
      {},
    );
    expect(reversal.status, reversal.text).toBe(201);
    expect(reversal.body.effective_at.slice(0, 10)).toBe(today);
    const back = await service.post<Problem>(`/v1/journal/entries/${entry.id}/reverse`, { effective_on: yesterday });
    expect(back.body.code).toBe('state_conflict');
    expect(await findingsOf({ pool: product.runtime.pool, id: bookId })).toEqual([]);
  });

  test('a payout that comes back after its day was closed is booked on its own day, and changes nothing of the closed one', async () => {
    const payout = await service.pay({ account: anna.id, amount: 1_000 });
    await service.payoutUntil(payout.id, 'paid');
    await service.post('/v1/simulations/clock/advance', { by: 'P2D' });
    await until(
      () => service.read<{ status: string }>('/v1/simulations/clock'),
      ({ status }) => status === 'idle',
    );
    const closed = await close(today);
    const back = await service.post<Problem>(`/v1/simulations/payouts/${payout.id}/return`, {});
    expect(back.status, back.text).toBeLessThan(300);
    const { data } = await until(
      () => service.read<List<{ journal_entries: string[] }>>(`/v1/payouts/${payout.id}/returns`),
      (returns) => returns.data.length > 0,
    );
    const entry = await service.read<Booked>(`/v1/journal/entries/${data[0]!.journal_entries[0]}`);
    const now = addDays(today, 2);
    expect([entry.posted_at.slice(0, 10), entry.effective_at.slice(0, 10), entry.occurred_on]).toEqual([
      now,
      now,
      null,
    ]);
    const balance = (on: string) => service.read<{ posted: number }>(`/v1/accounts/${anna.id}/balance?on=${on}`);
    expect((await balance(now)).posted - (await balance(today)).posted).toBe(1_000);
    await ben.post(REOPEN, { after: null, reason: 'To see' });
    expect((await close(today)).trial_balance_digest).toBe(closed.trial_balance_digest);
    expect(await findingsOf({ pool: product.runtime.pool, id: bookId })).toEqual([]);
  });

  test('the digest is of the closed days alone, and the same whatever comes later', async () => {
    const before = addDays(today, -2);
    await move(700, { effective_on: before });
    const first = await close(before);
    await move(30);
    await ben.post(REOPEN, { after: null, reason: 'To see' });
    const again = await close(before);
    expect(again.id).not.toBe(first.id);
    expect(again.trial_balance_digest).toBe(first.trial_balance_digest);
    expect(again.chain_hash).not.toBe(first.chain_hash);
    await ben.post(REOPEN, { after: null, reason: 'To add' });
    await move(5, { effective_on: before });
    expect((await close(before)).trial_balance_digest).not.toBe(first.trial_balance_digest);
    expect(await findingsOf({ pool: product.runtime.pool, id: bookId })).toEqual([]);
  });

  test('the last closed day takes nothing and the day behind it does, for entries, reversals and after an opening', async () => {
    const [closed, opened] = [addDays(today, -2), addDays(today, -1)];
    const { id } = (await move(100, { effective_on: closed })).body;
    await close(closed);
    expect((await move(1, { effective_on: closed })).body).toMatchObject({
      ...{ code: 'period_closed', closed_through: closed, first_open_day: opened },
    });
    expect((await move(1, { effective_on: opened })).status).toBe(201);
    const reverse = (body: object) => service.post<Entry & Problem>(`/v1/journal/entries/${id}/reverse`, body);
    expect((await reverse({ effective_on: closed })).body).toMatchObject({ code: 'period_closed' });
    expect((await reverse({ effective_on: opened })).status).toBe(201);
    const onDay = async (day: string) =>
      (await service.read<{ posted: number }>(`/v1/accounts/${bert.id}/balance?on=${day}`)).posted;
    expect([await onDay(closed), await onDay(opened), await onDay(today)]).toEqual([100, 1, 1]);
    for (const after of [closed, opened])
      expect((await ben.post<Problem>(REOPEN, { after, reason: 'x' })).body).toMatchObject({
        status: 409,
        param: '/after',
      });
    expect((await ben.post(REOPEN, { after: addDays(closed, -1), reason: 'x' })).status).toBe(200);
    expect((await move(1, { effective_on: closed })).status).toBe(201);
    expect((await move(1, { effective_on: addDays(closed, -1) })).body).toMatchObject({ first_open_day: closed });
  });

  test('only days that are over are closed, and later ones than before', async () => {
    for (const through of [today, addDays(today, 1), '9999-12-31']) {
      const { status, body, headers } = await ada.post<Problem>(CLOSE, { through });
      expect([status, body.code, body.current_status, body.retryable]).toEqual([
        ...[409, 'state_conflict', 'unfinished', true],
      ]);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    await close(addDays(today, -2));
    for (const through of [addDays(today, -2), addDays(today, -3), '0001-01-01']) {
      const { status, body } = await ada.post<Problem>(CLOSE, { through });
      expect([status, body.code, body.current_status]).toEqual([409, 'state_conflict', 'closed']);
    }
    for (const through of ['2027-02-29', 'yesterday', 5]) {
      const { status, body } = await ada.post<Problem>(CLOSE, { through });
      expect([status, body.errors[0]!.param]).toEqual([400, '/through']);
    }
    expect(await close(addDays(today, -1))).toMatchObject({ status: 'closed' });
  });

  test('a service closes nothing and opens nothing, and a person needs the scope', async () => {
    const yesterday = addDays(today, -1);
    const reader = await addPersonOf(product.runtime.pool, bookId, { name: 'Eve', scopes: ['journal:write'] });
    const eve = product.client(reader.key);
    for (const [client, detail] of [
      [service, 'person'],
      [eve, 'journal:close'],
    ] as const)
      for (const [path, body] of [
        [CLOSE, { through: yesterday }],
        [REOPEN, { after: null, reason: 'x' }],
      ] as const) {
        const answer = await client.post<Problem>(path, body);
        expect([answer.status, answer.body.code]).toEqual([403, 'permission_denied']);
        expect(answer.text).toContain(detail);
      }
    expect((await journal()).closed_through).toBeNull();
  });

  test('another person opens days again, with a reason', async () => {
    const [one, two, three] = [addDays(today, -3), addDays(today, -2), addDays(today, -1)];
    const periods = [await close(one), await close(two), await close(three, ben)];
    const own = await ada.post<Problem>(REOPEN, { after: one, reason: 'Mine' });
    expect([own.status, own.body.code]).toEqual([422, 'self_approval_forbidden']);
    const none = await ben.post<Problem>(REOPEN, { after: three, reason: 'None' });
    expect([none.status, none.body.code, none.body.current_status]).toEqual([409, 'state_conflict', 'open']);
    expect((await ben.post<Problem>(REOPEN, { after: one })).status).toBe(400);
    const opened = await ada.post<Journal>(REOPEN, { after: two, reason: 'A bill was missing' });
    expect([opened.status, opened.body.closed_through]).toEqual([200, two]);
    expect(await read(periods[2]!.id)).toMatchObject({
      ...{ status: 'reopened', reopened_by: { id: adaIs }, reopening_reason: 'A bill was missing' },
    });
    expect(await stepsOf(periods[2]!.id)).toMatchObject([
      {
        ...{ type: 'period.closed', actor: { type: 'system', id: 'worker:ledger' } },
        request_id: (await read(periods[2]!.id)).request_id,
      },
      { type: 'period.reopened', actor: { type: 'person', id: adaIs } },
    ]);
    expect((await read(periods[1]!.id)).status).toBe('closed');
    expect((await move(3, { effective_on: three })).status).toBe(201);
    expect((await move(3, { effective_on: two })).body.code).toBe('period_closed');
    const all = await ben.post<Journal>(REOPEN, { after: null, reason: 'All of it' });
    expect([all.status, all.body.closed_through]).toEqual([200, null]);
    expect((await read(periods[0]!.id)).reopened_by).toMatchObject({ id: benIs });
    expect((await move(3, { effective_on: one })).status).toBe(201);
    expect(await findingsOf({ pool: product.runtime.pool, id: bookId })).toEqual([]);
  });

  test('days that stay closed in the middle of a period stay those of who closed it', async () => {
    await close(addDays(today, -1));
    const middle = addDays(today, -5);
    expect((await ben.post<Journal>(REOPEN, { after: middle, reason: 'The last days' })).body.closed_through).toBe(
      middle,
    );
    const own = await ada.post<Problem>(REOPEN, { after: null, reason: 'The rest' });
    expect(own.body.code).toBe('self_approval_forbidden');
    expect((await ben.post<Journal>(REOPEN, { after: null, reason: 'The rest' })).status).toBe(200);
  });

  test('a repeat is answered as the first time, also when the days are closed by then', async () => {
    const yesterday = addDays(today, -1);
    const idempotencyKey = 'close-once';
    const first = await ada.post<Period>(CLOSE, { through: yesterday }, { idempotencyKey });
    await settled(first.body.id);
    const second = await ada.post<Period>(CLOSE, { through: yesterday }, { idempotencyKey });
    expect([second.status, second.text]).toEqual([202, first.text]);
    expect((await service.read<List<Period>>('/v1/journal/periods')).data).toHaveLength(1);
  });

  test('a faulty journal is not closed: the findings stand in the period, and the days stay open', async () => {
    const yesterday = addDays(today, -1);
    await move(700);
    const superuser = lookInto(product.database);
    const tamper = async (change: string) => {
      await superuser.query('ALTER TABLE postings DISABLE TRIGGER USER');
      await superuser.query(
        `UPDATE postings SET amount = amount ${change} 1 WHERE book_id = $1 AND entry_sequence = 2`,
        [bookId],
      );
      await superuser.query('ALTER TABLE postings ENABLE TRIGGER USER');
    };
    try {
      await tamper('+');
      const refused = await close(yesterday);
      expect(refused).toMatchObject({ status: 'refused', trial_balance_digest: null });
      expect(refused.findings_total).toBe(refused.findings.length);
      expect(refused.findings.map(({ check }) => check)).toContain('journal.chain');
      expect(await stepsOf(refused.id)).toMatchObject([{ type: 'period.refused' }]);
      expect((await journal()).closed_through).toBeNull();
      expect((await move(1, { effective_on: yesterday })).status).toBe(201);
      await tamper('-');
      expect(await close(yesterday)).toMatchObject({ status: 'closed', findings: [] });
    } finally {
      await superuser.end();
    }
  });

  test('a close verifies what came since the last one, and not what came before', async () => {
    await close(addDays(today, -2));
    await move(700);
    const superuser = lookInto(product.database);
    try {
      await superuser.query('ALTER TABLE entries DISABLE TRIGGER USER');
      await superuser.query("UPDATE entries SET step = 'x' WHERE book_id = $1 AND sequence = 1", [bookId]);
      await superuser.query('ALTER TABLE entries ENABLE TRIGGER USER');
      expect(await close(addDays(today, -1))).toMatchObject({ status: 'closed', findings: [] });
      expect(await findingsOf({ pool: product.runtime.pool, id: bookId })).not.toEqual([]);
    } finally {
      await superuser.end();
    }
  });

  test('verification holds periods and lines of closed days against the journal and the book', async () => {
    const yesterday = addDays(today, -1);
    await move(700, { effective_on: yesterday });
    const closed = await close(yesterday);
    await move(1, { effective_on: today });
    const superuser = lookInto(product.database);
    const checks = async () =>
      (await findingsOf({ pool: product.runtime.pool, id: bookId })).map(({ check }) => check).sort();
    const id = parsePublicId('period', closed.id);
    try {
      expect(await checks()).toEqual([]);
      await superuser.query('UPDATE books SET closed_through = NULL WHERE id = $1', [bookId]);
      expect(await checks()).toEqual(['period.closed_through']);
      // Days that are open by no opening: an entry comes in.
      expect((await move(2, { effective_on: yesterday })).status).toBe(201);
      expect(await checks()).toEqual([
        'effective_line.closed_day',
        'effective_line.closed_day',
        'period.closed_through',
      ]);
      await superuser.query('UPDATE books SET closed_through = $2 WHERE id = $1', [bookId, yesterday]);
      await superuser.query("UPDATE periods SET chain_hash = '\\x00' WHERE book_id = $1 AND id = $2", [bookId, id]);
      expect(await checks()).toEqual(['effective_line.closed_day', 'effective_line.closed_day', 'period.chain_hash']);
    } finally {
      await superuser.end();
    }
  });

  test('one close at a time: while one is under way others are refused, and it goes on when a worker is there', async () => {
    await product.stopPools();
    const answer = await ada.post<Period>(CLOSE, { through: addDays(today, -2) });
    expect(answer.status).toBe(202);
    for (const [client, path, body] of [
      [ada, CLOSE, { through: addDays(today, -1) }],
      [ben, REOPEN, { after: null, reason: 'Now' }],
    ] as const) {
      const { status, body: problem } = await client.post<Problem>(path, body);
      expect([status, problem.code, problem.current_status, problem.retryable]).toEqual([
        ...[409, 'state_conflict', 'pending', true],
      ]);
    }
    expect((await move(1, { effective_on: addDays(today, -2) })).body.code).toBe('period_closed');
    expect((await move(1, { effective_on: addDays(today, -1) })).status).toBe(201);
    await product.startPools();
    expect((await settled(answer.body.id)).status).toBe('closed');
  });

  test('the command closes days with the key of a person, and answers the same when it is run again', async () => {
    const yesterday = addDays(today, -1);
    const run = (key: string | undefined, ...words: string[]) =>
      runHere(closeCommand, ['--book', publicId('book', bookId), ...words, '--url', product.baseUrl], {
        ...(key !== undefined && { COUNTINGHOUSE_API_KEY: key }),
      });
    const first = await run(adaKey, '--through', yesterday, '--reason', 'The day', '--json');
    expect([first.code, first.err]).toEqual([0, '']);
    const period = JSON.parse(first.out) as Period;
    expect(period).toMatchObject({ status: 'closed', through: yesterday, reason: 'The day' });
    const again = await run(adaKey, '--through', yesterday, '--json');
    expect([again.code, JSON.parse(again.out)]).toEqual([0, period]);
    expect((await run(adaKey, '--through', yesterday)).out).toContain(`closed through ${yesterday}`);
    expect(await run(adaKey, '--through', today)).toMatchObject({ code: 2, err: expect.stringContaining('today is') });
    expect(await run(undefined, '--through', today)).toMatchObject({
      code: 2,
      err: expect.stringContaining('API_KEY'),
    });
    const other = await runHere(
      closeCommand,
      ['--book', publicId('book', newId()), '--through', yesterday, '--url', product.baseUrl],
      { COUNTINGHOUSE_API_KEY: adaKey },
    );
    expect(other).toMatchObject({ code: 2, err: expect.stringContaining('book_') });
    const nobody = await runHere(
      closeCommand,
      ['--book', publicId('book', bookId), '--through', yesterday, '--url', 'http://127.0.0.1:1'],
      { COUNTINGHOUSE_API_KEY: adaKey },
    );
    expect(nobody.code).toBe(3);
  });

  test('the command writes a pack of the days, signs a checkpoint where none covers them, and ends with the pack when it is run again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'close-'));
    const words = [
      '--book',
      publicId('book', bookId),
      '--through',
      addDays(today, -1),
      '--url',
      product.baseUrl,
      '--json',
    ];
    const close = (environment: NodeJS.ProcessEnv, ...more: string[]) =>
      runHere(closeCommand, [...words, ...more], {
        COUNTINGHOUSE_API_KEY: adaKey,
        DATABASE_URL: product.database.applicationUrl,
        ...environment,
      });
    const seed = newSigningSeed();
    const signer = { SIGNER_DATABASE_URL: product.database.signerUrl, CHECKPOINT_SIGNING_KEY: seed };
    const to = join(folder, 'pack');
    const without = await close({}, '--pack', to);
    expect([without.code, without.err]).toEqual([3, expect.stringContaining('Run `npm run checkpoint`')]);
    const written = await close(signer, '--pack', to);
    expect([written.code, written.err]).toEqual([0, '']);
    const { pack } = JSON.parse(written.out) as { pack: { manifest_sha256: string } };
    const again = await close({}, '--pack', to);
    expect([again.code, JSON.parse(again.out)]).toMatchObject([0, { pack }]);
    const verified = await runHere(verifyCommand, ['--pack', to, '--public-key', signingKeyFrom(seed).keyId], {});
    expect([verified.code, verified.err]).toEqual([0, '']);
    expect(await close({}, '--previous-pack', to)).toMatchObject({ code: 2, err: expect.stringContaining('--pack') });
    rmSync(folder, { recursive: true });
  });

  test('two closes at once: one is carried out, and the other is refused', async () => {
    const answers = await Promise.all(
      [ada, ben].map((client) => client.post<Period & Problem>(CLOSE, { through: addDays(today, -1) })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([202, 409]);
    const { data } = await service.read<List<Period>>('/v1/journal/periods');
    expect(data).toHaveLength(1);
    await settled(data[0]!.id);
  });

  test.each([0, 1, 2])('a close that begins ahead of read %i of another is seen by it', async (ahead) => {
    await meet();
    const { pool } = product.runtime;
    let reads = 0;
    const query = async (...asked: Parameters<typeof pool.query>) => {
      if (reads++ === ahead) expect((await ada.post(CLOSE, { through: addDays(today, -2) })).status).toBe(202);
      return pool.query(...asked);
    };
    const between = new Proxy(pool, { get: (of, name) => (name === 'query' ? query : Reflect.get(of, name)) });
    const runtime = { ...product.runtime, pool: between, blocksPeriods: [] };
    const asked = {
      ...{ bookId: bookId as BookId, actor: benIs, ownerKind: 'person' as const },
      ...{ idempotencyKey: newId(), fingerprint: Buffer.alloc(32), requestId: newId() },
      ...{ through: addDays(today, -1), reason: null },
    };
    const closed = carryOut(runtime, requestClose, asked, new Following(() => undefined));
    const status = await closed.then(
      (answer) => answer.status,
      (error: ApiError) => error.code,
    );
    // Where the first has ended by then, the second is carried out.
    expect([202, 'state_conflict']).toContain(status);
    expect(reads).toBeGreaterThan(2);
  });

  test('days of the book are closed, not those of UTC', async () => {
    await meet();
    await service.patch('/v1/journal', { time_zone: 'Pacific/Kiritimati' });
    const { body } = await ada.post<Problem>(CLOSE, { through: addDays(today, 2) });
    expect(body.detail).toContain('Pacific/Kiritimati');
    expect(await close(addDays(today, -1))).toMatchObject({ status: 'closed', through_sequence: 0 });
  });
});
