/** What the sandbox processor keeps: numbers that never come twice, sealed, in its schema alone. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TEST_CARDS } from '../../../src/acquirers/test-cards.ts';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { createSecretBox } from '../../../src/db/secret-box.ts';
import { DECLARED_TABLES } from '../../../src/groups.ts';
import { rekey } from '../../../src/operations/rekey.ts';
import { createLogger } from '../../../src/process/log.ts';
import { cardKeys, expiryOf, NUMBERS, SANDBOX_BIN, securityCode } from '../../../src/processors/card-sequence.ts';
import { type ProcessorInstruction, ProcessorUnreachable } from '../../../src/processors/processor.ts';
import { createProcessors, type Processors } from '../../../src/processors/processors.ts';
import { cardReference as cardReferenceOf } from '../../../src/processors/sandbox-answers.ts';
import { SANDBOX_SECRET_PLACE } from '../../../src/processors/sealed-places.ts';
import { systemClock } from '../../../src/values/clock.ts';
import { newId } from '../../../src/values/ids.ts';
import { counterOf } from '../../support/card-counters.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { issueOf, replaceOf } from './conformance.ts';

const log = createLogger('silent', 'test');
const originator = newId();
let database: TestDatabase;
let superuser: pg.Client;
let pool: Pool;
let processors: Processors;
const closers: (() => Promise<unknown>)[] = [];

const start = (encryptionKey = database.encryptionKey, oldKeys: string[] = [], clock = systemClock) => {
  const secretBox = createSecretBox(encryptionKey, oldKeys);
  const started = createProcessors({ DATABASE_URL: database.applicationUrl }, log, { secretBox, clock });
  closers.push(() => started.close());
  return started;
};

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = new pg.Client({ connectionString: database.superuserUrl });
  await superuser.connect();
  pool = createPool({ url: database.applicationUrl, name: 'test', size: 2, log });
  processors = start();
});
afterAll(async () => {
  for (const close of closers) await close();
  await pool?.end();
  await superuser?.end();
  await database?.drop();
});

const submit = (instruction: ProcessorInstruction, by = processors) => by.sandbox.submit(instruction);
const issued = async (by = processors) => (await submit(issueOf(originator), by)).card!;
const revealed = async (cardReference: string, by = processors) => {
  const shown = await by.sandbox.reveal({ originator, cardReference, what: 'details' });
  if (shown.shown !== 'clear') throw new Error('The sandbox shows cards in clear');
  return shown;
};
const next = async () => {
  const { rows } = await superuser.query<{ next: string }>('SELECT next FROM sandbox_processor.counter');
  return Number(rows[0]!.next);
};
/** Of the secret that the first card was made with. */
const keysOf = async () => {
  const { rows } = await superuser.query<{ sealed: Buffer }>('SELECT sealed FROM sandbox_processor.secrets');
  const secret = createSecretBox(database.encryptionKey).open(rows[0]!.sealed, SANDBOX_SECRET_PLACE);
  return cardKeys(Buffer.from(secret, 'base64'));
};
const setNext = (counter: number) => superuser.query('UPDATE sandbox_processor.counter SET next = $1', [counter]);

test('two processes that make the first cards at once make their numbers under one secret, and none twice', async () => {
  const two = [start(), start()];
  const made = await Promise.all(Array.from({ length: 60 }, (_, at) => issued(two[at % 2])));
  // Each shows the cards of the other.
  const numbers = await Promise.all(made.map(({ cardReference }, at) => revealed(cardReference, two[(at + 1) % 2])));
  expect(new Set(numbers.map(({ number }) => number)).size).toBe(60);
  const { rowCount } = await superuser.query('SELECT FROM sandbox_processor.secrets');
  expect(rowCount).toBe(1);
});

describe('numbers', () => {
  test('are skipped where they are published', async () => {
    const { numbers } = await keysOf();
    const before = await next();
    const published = [...TEST_CARDS.keys()].filter((number) => number.startsWith(SANDBOX_BIN));
    const counters = published.map((number) => counterOf(Number(number.slice(SANDBOX_BIN.length, -1)), numbers));
    const counter = counters.find((one) => one > before && !counters.includes(one + 1))!;
    await setNext(counter);
    const { number } = await revealed((await issued()).cardReference);
    expect(TEST_CARDS.has(number)).toBe(false);
    expect(await next()).toBe(counter + 2);
  });

  test('are taken once for a reference, and none for what makes no card', async () => {
    const order = issueOf(originator);
    await submit(order);
    const taken = await next();
    await submit(order);
    await submit(issueOf(originator, {}, 'REFUSED'));
    await submit(issueOf(originator, {}, 'LOST')).catch(() => undefined);
    const { cardReference } = (await submit(order)).card!;
    const renewal = replaceOf(issueOf(originator), { of: cardReference, reason: 'renewal' });
    expect(await submit(renewal)).toMatchObject({ status: 'succeeded' });
    expect(await next()).toBe(taken);
  });

  test('end with the last counter: no card is made then, and no number comes again', async () => {
    const before = await next();
    await setNext(NUMBERS);
    await expect(issued()).rejects.toBeInstanceOf(ProcessorUnreachable);
    await setNext(before);
  });
});

test('what comes too late leaves neither a card nor a number', async () => {
  const counts = async () => {
    const { rows } = await superuser.query(
      `SELECT (SELECT count(*) FROM sandbox_processor.cards) AS cards,
              (SELECT count(*) FROM sandbox_processor.numbers) AS numbers`,
    );
    return rows[0];
  };
  const { cardReference } = await issued();
  const before = await counts();
  const late = { notAfter: Date.now() - 1 };
  const orders = [
    issueOf(originator, late),
    issueOf(originator, late, 'PENDING'),
    replaceOf(issueOf(originator, late), { of: cardReference, reason: 'lost' }),
    replaceOf(issueOf(originator, late), { of: cardReference, reason: 'renewal' }),
  ];
  for (const order of orders) expect(await submit(order)).toMatchObject({ status: 'declined', code: 'too_late' });
  expect(await counts()).toEqual(before);
});

test('a renewed card has another code where its first one would be that of the card before', async () => {
  const keys = await keysOf();
  const orderedAt = Date.now();
  const before = (await submit(issueOf(originator, { orderedAt }))).card!;
  const { cvc } = await revealed(before.cardReference);
  const expiry = expiryOf(orderedAt, before);
  const codeOf = (reference: string, codeAttempt: number) =>
    securityCode({ cardReference: cardReferenceOf(originator, reference), ...expiry, codeAttempt }, keys);
  // One reference in a thousand.
  let reference = newId();
  while (codeOf(reference, 0) !== cvc) reference = newId();
  const order = issueOf(originator, { reference, orderedAt });
  const { card } = await submit(replaceOf(order, { of: before.cardReference, reason: 'renewal' }));
  expect(card).toMatchObject(expiry);
  const renewed = await revealed(card!.cardReference);
  expect(renewed.number).toBe((await revealed(before.cardReference)).number);
  expect(renewed.cvc).not.toBe(cvc);
});

test('a renewed card has another security code, and so has the one behind it', async () => {
  const first = await issued();
  const codes = [(await revealed(first.cardReference)).cvc];
  let of = first.cardReference;
  for (const reason of ['damaged', 'renewal', 'damaged'] as const) {
    const { card } = await submit(replaceOf(issueOf(originator), { of, reason }));
    of = card!.cardReference;
    codes.push((await revealed(of)).cvc);
  }
  for (const [at, code] of codes.entries()) expect(code).not.toBe(codes[at + 1]);
});

test('the expiry counts from the time of the book, which may be far ahead', async () => {
  const order = issueOf(originator, { orderedAt: Date.UTC(2041, 10, 30) });
  expect((await submit(order)).card).toMatchObject({ expMonth: 11, expYear: 2044 });
});

test('an order that is pending is made when its time has come, by a clock that may be ahead, and told then', async () => {
  const order = issueOf(originator, {}, 'PENDING');
  expect(await submit(order)).toMatchObject({ status: 'pending' });
  const later = start(undefined, [], { now: () => Date.now() + 16_000 });
  const isTold = async (by: Processors) =>
    (await by.sandbox.notices(1_000)).some(({ endToEndId }) => endToEndId === order.reference);
  expect(await isTold(processors)).toBe(false);
  expect(await isTold(later)).toBe(true);
  expect(await later.sandbox.inquire(originator, order.reference)).toMatchObject({ status: 'succeeded', card: {} });
});

test('no number stands in clear in any table, and no sealed one outside of the schema', async () => {
  const cards = await Promise.all(Array.from({ length: 5 }, () => issued()));
  const numbers = await Promise.all(cards.map(async ({ cardReference }) => (await revealed(cardReference)).number));
  const { rows: tables } = await superuser.query<{ name: string; schema: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name, schemaname AS schema FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const { rows: sealed } = await superuser.query<{ sealed: string }>(
    'SELECT sealed::text FROM sandbox_processor.numbers',
  );
  expect(sealed.length).toBeGreaterThan(5);
  for (const { name, schema } of tables) {
    const { rows } = await superuser.query<{ text: string }>(`SELECT t::text AS text FROM ${name} t`);
    const text = rows.map((row) => row.text).join('\n');
    for (const number of numbers) expect(text.includes(number) || text.includes(hexOf(number)), name).toBe(false);
    if (schema !== 'sandbox_processor')
      expect(
        sealed.some((one) => text.includes(one.sealed.slice(2))),
        name,
      ).toBe(false);
  }
});

test('cards are shown under a new encryption key, once everything is sealed anew', async () => {
  const { cardReference } = await issued();
  const before = await revealed(cardReference);
  const newKey = randomBytes(32).toString('base64');
  const oldEncryptionKeys = [database.encryptionKey];
  const { counts } = await rekey({ pool, tables: DECLARED_TABLES, encryptionKey: newKey, oldEncryptionKeys });
  expect(counts['sandbox_processor.secrets']).toEqual({ found: 1, changed: 1, remaining: 0 });
  const { found, changed, remaining } = counts['sandbox_processor.numbers']!;
  expect(found).toBeGreaterThan(5);
  expect([changed, remaining]).toEqual([found, 0]);
  const under = start(newKey);
  expect(await revealed(cardReference, under)).toEqual(before);
  expect((await revealed((await issued(under)).cardReference, under)).number).not.toBe(before.number);
  // The old key alone opens nothing any more.
  await expect(revealed(cardReference, start())).rejects.toBeInstanceOf(ProcessorUnreachable);
});

const hexOf = (text: string) => Buffer.from(text).toString('hex');
