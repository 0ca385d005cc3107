/** A rail that reports another payment, on a real database: nothing is booked, and an operator resolves the payout. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ResolveOptions, resolveByPerson } from '../../../scripts/ops-resolve.ts';
import type { Command } from '../../../src/ledger/command/command.ts';
import { Draft } from '../../../src/ledger/command/draft.ts';
import { type Payout, waitingOn } from '../../../src/payouts/payout/payout.ts';
import { payoutResource } from '../../../src/payouts/payout/payout-resource.ts';
import { payouts } from '../../../src/payouts/payout/payout-table.ts';
import { mismatchesOf } from '../../../src/payouts/payout/rail-mismatch.ts';
import { readOperatorReason } from '../../../src/payouts/resolution/resolution-store.ts';
import { createLogger } from '../../../src/process/log.ts';
import { createRails, type Rails } from '../../../src/rails/rails.ts';
import { readTimeline } from '../../../src/timeline/timeline.ts';
import { newId, publicId, type Uuid } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { toAlias } from '../../support/instructions.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let book: TestBook;
let rails: Rails;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  book = await openBook({ database: database.applicationUrl });
  rails = createRails({ DATABASE_URL: database.applicationUrl }, createLogger('silent', 'test'));
  folder = mkdtempSync(join(tmpdir(), 'evidence-'));
});

afterAll(async () => {
  await rails?.close();
  await book?.close();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

async function liedAbout(alias: string) {
  const accountId = await book.account({ amount: 1_000_000n });
  const payout = await book.reserve(await book.accept({ accountId }));
  const { endToEndId, amount, currency } = payout;
  const notAfter = Date.now() + 60_000;
  await rails.sandbox.submit({ originator: book.id, endToEndId, ...toAlias(alias), amount, currency, notAfter });
  const answer = await rails.sandbox.inquire(book.id, endToEndId);
  if (answer.status === 'not_found') throw new Error('The rail has not got it');
  const mismatches = mismatchesOf(rails.sandbox, payout, answer, () => alias);
  return { payout: await book.settle(payout, { ...answer, call: 'inquire', mismatches }), mismatches };
}

const timelineOf = ({ id }: Payout) =>
  readTimeline(book.pool, {
    bookId: book.id,
    resource: { ...payoutResource, operatorReason: readOperatorReason },
    id,
    page: { limit: 20 },
  });

/** What another operator did with the payout, for another reason. */
function erased(payoutId: Uuid): Command<void> {
  const origin = { id: newId(), requestId: newId(), actor: 'operator:bob' };
  return {
    ...origin,
    name: 'test.erase',
    touches: [],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const object = { id: publicId('payout', payoutId), object: 'payout' };
      draft.emit({ type: 'personal_data.erased', objectId: payoutId, objectSequence: 9, object, entries: [] });
      return draft.finish(undefined);
    },
  };
}

test('after a mismatch the rail is asked again, and a confirmation that matches settles the payout before a person does', async () => {
  const { payout } = await liedAbout('WRONGAMOUNT');
  expect(waitingOn(payout)).toBe('inquiry');
  expect(payout.dueAt).toBe(payout.nextInquiryAt);
  const { amount, currency } = payout;
  const confirmed = { amount, currency, payeeDigest: rails.sandbox.payeeDigest(payout.endToEndId, 'WRONGAMOUNT') };
  const mismatches = mismatchesOf(rails.sandbox, payout, { status: 'paid', confirmed }, () => 'WRONGAMOUNT');
  expect(mismatches).toEqual([]);
  expect(await book.settle(payout, { call: 'inquire', status: 'paid', mismatches })).toMatchObject({ status: 'paid' });
});

describe.each([
  ['WRONGAMOUNT', 'rail_amount_mismatch', 'paid'],
  ['WRONGCURRENCY', 'rail_currency_mismatch', 'failed'],
  ['WRONGPAYEE', 'rail_payee_mismatch', 'paid'],
] as const)('%s', (alias, kind, as) => {
  test(`is unknown with ${kind}, and ${as} by an operator with evidence`, async () => {
    const { payout, mismatches } = await liedAbout(alias);
    expect(mismatches.map((mismatch) => mismatch.kind)).toEqual([kind]);
    expect(payout).toMatchObject({ status: 'processing', outcome: 'unknown' });
    await book.settle(payout, { call: 'inquire', mismatches });
    // None of these reports settles it: the payout still needs an operator.
    for (const word of [
      { status: 'pending' },
      { status: 'rejected' },
      { status: 'rejected', idUnknown: true },
    ] as const)
      expect(await book.settle(payout, { call: 'inquire', ...word })).toMatchObject({
        status: 'processing',
        outcome: 'unknown',
      });
    const exceptions = () =>
      book.rows('SELECT kind, status FROM exceptions WHERE book_id = $1 AND resource_id = $2', payout.id);
    expect(await exceptions()).toEqual([{ kind, status: 'open' }]);

    const evidence = join(folder, 'statement.txt');
    writeFileSync(evidence, 'a line of a statement');
    const id = publicId('payout', payout.id);
    const options = { as, evidence, by: 'alice' };
    const environment = { COUNTINGHOUSE_ENCRYPTION_KEY: database.encryptionKey };
    const resolve = (asked: ResolveOptions) => resolveByPerson(book.pool, id, asked, environment);
    const endless = resolve({ ...options, evidence: '/dev/zero' });
    await expect(endless).rejects.toThrow('larger than 262144 bytes');
    expect(await resolve({ ...options, dryRun: true })).toMatchObject({
      result: 'would be booked',
    });
    expect((await payouts.load(book.pool, book.id, [payout.id])).get(payout.id)).toMatchObject({
      status: 'processing',
    });
    expect(await resolve(options)).toMatchObject({ status: as, by: 'operator:alice' });
    expect(await exceptions()).toEqual([{ kind, status: 'resolved' }]);
    expect(await resolve(options)).toMatchObject({ result: 'had been resolved like this' });
    const other = as === 'paid' ? 'failed' : 'paid';
    await expect(resolve({ ...options, as: other })).rejects.toThrow('operator:alice resolved it');
    // An inquiry sent before the operator's decision and answered after it changes nothing.
    const ended = (await payouts.load(book.pool, book.id, [payout.id])).get(payout.id)!;
    expect(await book.settle(ended, { call: 'inquire', status: 'rejected', idUnknown: true })).toEqual(ended);
    const { items } = await timelineOf(payout);
    expect(items.at(-1)).toMatchObject({
      status: as,
      actor: { type: 'operator', id: 'alice', key: null },
      reason: { evidence: 'statement.txt' },
    });

    await book.submit(erased(payout.id));
    const timeline = await timelineOf(payout);
    expect(timeline.items.at(-1)).toMatchObject({
      type: 'personal_data.erased',
      actor: { type: 'operator', id: 'bob', key: null },
      reason: null,
    });
  });
});
