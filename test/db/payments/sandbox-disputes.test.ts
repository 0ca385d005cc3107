/** The sandbox acquirer's disputes: what is said twice is taken once, and a dispute that is decided takes nothing more. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AcquirerNotice } from '../../../src/acquirers/acquirer.ts';
import { type Acquirers, createAcquirers } from '../../../src/acquirers/acquirers.ts';
import { createLogger } from '../../../src/process/log.ts';
import { newId } from '../../../src/values/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let acquirers: Acquirers;
const originator = newId();

beforeAll(async () => {
  database = await createTestDatabase();
  const config = { DATABASE_URL: database.applicationUrl };
  acquirers = createAcquirers(config, createLogger('silent', 'test'), { publicUrl: 'http://localhost' });
});
afterAll(async () => {
  await acquirers?.close();
  await database?.drop();
});

const notAfter = () => Date.now() + 60_000;

/** Captured, and disputed. Returns the acquirer's own id of the dispute. */
async function disputed(number = '4242424242424242', stage: 'inquiry' | 'chargeback' = 'chargeback') {
  const { sandbox } = acquirers;
  const input = { number, expMonth: 12, expYear: 2034, cvc: null, name: null };
  const { token } = await sandbox.tokenize(input, { originator, reusable: false });
  const reference = newId();
  const any = { originator, reference, amount: 1_000n, currency: 'EUR', notAfter: notAfter() };
  const authorize = {
    request: null,
    billing: null,
    initiator: 'customer' as const,
    previousNetworkReference: null,
    returnUrl: null,
    statementDescriptor: null,
  };
  await sandbox.submit({ ...any, ...authorize, kind: 'authorize' as const, token, capture: true });
  const opening = {
    noticeId: newId(),
    originator,
    reference,
    stage,
    amount: 600n,
    reason: 'duplicate',
  };
  const notice = await sandbox.openDispute(opening);
  const again = await sandbox.openDispute(opening);
  expect(again).toEqual(notice);
  expect(notice).toMatchObject({ kind: `dispute_${stage}`, endToEndId: reference, amount: 600n, code: 'duplicate' });
  expect(notice).toMatchObject({ confirmed: { amount: 1_000n, currency: 'EUR' } });
  return (notice as AcquirerNotice).reference;
}

const say = (kind: 'evidence' | 'accept_dispute', of: string, reference: string = newId()) =>
  acquirers.sandbox.submit({
    ...{ originator, reference, amount: 600n, currency: 'EUR', notAfter: notAfter(), kind, of },
    evidence: kind === 'evidence' ? { product_description: 'Headphones' } : {},
  });

const decide = (dispute: string, to: 'won' | 'lost' | 'escalated', noticeId = newId()) =>
  acquirers.sandbox.moveDispute({ noticeId, originator, dispute, to });

test('evidence under one reference is taken once, however often and at once', async () => {
  const dispute = await disputed();
  const reference = newId();
  const answers = await Promise.all([1, 2, 3, 4].map(() => say('evidence', dispute, reference)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => 'succeeded'));
  expect(await acquirers.sandbox.inquire(originator, reference)).toMatchObject({
    ...{ status: 'succeeded', confirmed: { amount: 600n, currency: 'EUR' } },
  });
  expect(await say('evidence', dispute)).toMatchObject({ status: 'declined', code: 'processing_error' });
});

test('evidence and acceptance at once, under references of their own: one is taken', async () => {
  const dispute = await disputed();
  const answers = await Promise.all([say('evidence', dispute), say('accept_dispute', dispute)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual(['declined', 'succeeded']);
});

test('what it never saw is not found; a dispute of nobody takes nothing', async () => {
  expect(await acquirers.sandbox.inquire(originator, newId())).toMatchObject({ status: 'not_found' });
  const reference = newId();
  expect(await say('evidence', 'SBDNONE', reference)).toMatchObject({ status: 'declined' });
});

describe('decided', () => {
  test('once: told again under the same id it is the same notice, under another nothing', async () => {
    const dispute = await disputed();
    const id = newId();
    const won = await decide(dispute, 'won', id);
    expect(won).toMatchObject({ kind: 'dispute_won', reference: dispute, amount: 600n });
    expect(await decide(dispute, 'won', id)).toEqual(won);
    expect(await decide(dispute, 'lost')).toBeUndefined();
    expect(await say('evidence', dispute)).toMatchObject({ status: 'declined' });
  });

  test('won, it may be disputed again; lost, it may not', async () => {
    const [won, lost] = [await disputed(), await disputed()];
    await decide(won, 'won');
    expect(await decide(won, 'escalated')).toMatchObject({ kind: 'dispute_chargeback', reference: won });
    expect(await say('evidence', won)).toMatchObject({ status: 'succeeded' });
    await decide(lost, 'lost');
    expect(await decide(lost, 'escalated')).toBeUndefined();
  });
});

describe('within bounds', () => {
  const open = (
    payment: string,
    given: { stage?: 'inquiry' | 'chargeback'; amount?: bigint; max?: number; id?: string },
  ) =>
    acquirers.sandbox.openDispute({
      ...{ noticeId: given.id ?? newId(), originator, reference: payment, stage: given.stage ?? 'chargeback' },
      ...{ amount: given.amount, reason: 'duplicate' },
      within: { payment, captured: 1_000n, disputesMax: given.max ?? 500 },
    });
  const paymentOf = async (dispute: string) =>
    (await acquirers.sandbox.notices(500)).find(({ reference }) => reference === dispute)!.endToEndId;

  test('what is beyond them is not told, and what is left is taken', async () => {
    const payment = await paymentOf(await disputed());
    expect(await open(payment, { amount: 401n })).toEqual({ disputed: 600n, disputes: 1, amount: 401n });
    expect(await open(payment, { amount: 1n, max: 1 })).toEqual({ disputed: 600n, disputes: 1, amount: 1n });
    const id = newId();
    const all = await open(payment, { id });
    expect(all).toMatchObject({ kind: 'dispute_chargeback', amount: 400n });
    expect(await open(payment, { id })).toEqual(all);
    expect(await open(payment, {})).toEqual({ disputed: 1_000n, disputes: 2, amount: null });
  });

  test('an inquiry counts until it is read, and a chargeback that is won until that is', async () => {
    const payment = await paymentOf(await disputed('4242424242424242', 'inquiry'));
    expect(await open(payment, { amount: 500n })).toMatchObject({ disputed: 600n });
    const read = async () => {
      const told = (await acquirers.sandbox.notices(500)).filter(({ endToEndId }) => endToEndId === payment);
      await acquirers.sandbox.acknowledge(told.map(({ id }) => id));
    };
    await read();
    const chargeback = (await open(payment, { amount: 1_000n })) as AcquirerNotice;
    await read();
    await decide(chargeback.reference, 'won');
    expect(await open(payment, {})).toMatchObject({ disputed: 1_000n });
    await read();
    expect(await open(payment, {})).toMatchObject({ amount: 1_000n });
  });
});

test('the card that is disputed has a record of it, which may be answered', async () => {
  const { sandbox } = acquirers;
  await disputed('4000000000000259');
  const told = (await sandbox.notices(100)).filter(({ code }) => code === 'fraudulent');
  expect(told).toHaveLength(1);
  expect(await say('evidence', told[0]!.reference)).toMatchObject({ status: 'succeeded' });
});
