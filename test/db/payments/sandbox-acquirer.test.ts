/** What the sandbox acquirer keeps of cards and of requests to pay. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuthorizeInstruction, CardRefused } from '../../../src/acquirers/acquirer.ts';
import { type Acquirers, createAcquirers } from '../../../src/acquirers/acquirers.ts';
import { createLogger } from '../../../src/process/log.ts';
import { newId } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let acquirers: Acquirers;
let book: TestBook;

beforeAll(async () => {
  database = await createTestDatabase();
  const options = { publicUrl: 'https://api.test' };
  acquirers = createAcquirers({ DATABASE_URL: database.applicationUrl }, createLogger('silent', 'test'), options);
  book = await openBook({ database: database.applicationUrl, mode: 'live' });
});
afterAll(async () => {
  await book?.close();
  await acquirers?.close();
  await database?.drop();
});

const card = (number = '4242424242424242') => ({ number, expMonth: 12, expYear: 2034, cvc: '123', name: null });
const tokenize = async (options: { originator?: string; reusable?: boolean } = {}) =>
  (await acquirers.sandbox.tokenize(card(), { originator: book.id, reusable: true, ...options })).token;

describe('the vault', () => {
  test('shows a card to its owner, where the token is good for more than one payment', async () => {
    const [mine, once, other] = [
      await tokenize(),
      await tokenize({ reusable: false }),
      await tokenize({ originator: newId() }),
    ];
    const of = { originator: book.id };
    expect(await acquirers.sandbox.cardOf(mine, of)).toMatchObject({ lastFour: '4242', brand: 'visa' });
    for (const token of [once, other, 'stok_nothing'])
      await expect(acquirers.sandbox.cardOf(token, of)).rejects.toThrow(CardRefused);
    for (const token of [other, 'stok_nothing']) {
      await expect(acquirers.sandbox.verify(token, of)).rejects.toThrow(CardRefused);
      await expect(acquirers.sandbox.withCode(token, '123', of)).rejects.toThrow(CardRefused);
    }
  });
});

describe('a request to pay', () => {
  const request = (change: Partial<AuthorizeInstruction> = {}): AuthorizeInstruction => ({
    kind: 'authorize',
    originator: book.id,
    reference: newId(),
    amount: 20_000n,
    currency: 'JOD',
    notAfter: Date.now() + 600_000,
    token: null,
    request: { alias: 'SALMA77', expiresAt: Date.now() + 600_000 },
    billing: null,
    capture: true,
    initiator: 'customer',
    previousNetworkReference: null,
    returnUrl: null,
    statementDescriptor: null,
    ...change,
  });

  test('is one, however often it is sent, and its payer answers it once', async () => {
    const asked = request();
    const { sandbox } = acquirers;
    const answers = await Promise.all([sandbox.submit(asked), sandbox.submit(asked)]);
    expect(answers.map(({ status }) => status)).toEqual(['requires_action', 'requires_action']);
    expect(answers[0]!.challenge).toBeUndefined();
    const noticeId = newId();
    const told = () => sandbox.resolveRequest(book.id, asked.reference, { approved: true, noticeId });
    expect(await told()).toMatchObject({ id: noticeId, kind: 'succeeded', endToEndId: asked.reference });
    expect(await told()).toMatchObject({ id: noticeId });
    expect(
      await sandbox.resolveRequest(book.id, asked.reference, { approved: false, noticeId: newId() }),
    ).toBeUndefined();
    expect(await sandbox.inquire(book.id, asked.reference)).toMatchObject({ status: 'succeeded' });
    expect(await sandbox.cancel(book.id, asked.reference)).toMatchObject({ status: 'succeeded' });
  });

  test('that comes too late asks nobody', async () => {
    expect(await acquirers.sandbox.submit(request({ notAfter: Date.now() - 1 }))).toMatchObject({ status: 'declined' });
  });

  test('that was taken back before it came asks nobody', async () => {
    const asked = request();
    expect(await acquirers.sandbox.cancel(book.id, asked.reference)).toMatchObject({ status: 'canceled' });
    expect(await acquirers.sandbox.submit(asked)).toMatchObject({ status: 'canceled' });
  });
});
