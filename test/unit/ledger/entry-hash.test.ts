import { canonicalize } from 'json-canonicalize';
import { describe, expect, test } from 'vitest';
import type { Posting } from '../../../src/ledger/entry/entry.ts';
import {
  entryHash,
  entryText,
  GENESIS_HASH,
  textDigest,
  type UnsealedEntry,
} from '../../../src/ledger/entry/entry-hash.ts';

const BOOK = '018f4d3e-7b2a-7000-8000-000000000001';
const OTHER_ID = '018f4d3e-7b2a-7000-8000-0000000000ff';

const posting = (change: Partial<Posting> = {}): Posting => ({
  ordinal: 1,
  debitAccountId: '018f4d3e-7b2a-7000-8000-000000000002',
  creditAccountId: '018f4d3e-7b2a-7000-8000-000000000003',
  amount: 9_007_199_254_740_993n,
  currency: 'JOD',
  debitLine: 7n,
  debitBalanceAfter: -12n,
  creditLine: 9n,
  creditBalanceAfter: 9_223_372_036_854_775_807n,
  ...change,
});

const entry = (change: Partial<UnsealedEntry> = {}): UnsealedEntry => ({
  sequence: 42n,
  id: '018f4d3e-7b2a-7000-8000-000000000004',
  resource: 'payout',
  resourceId: '018f4d3e-7b2a-7000-8000-000000000005',
  step: 'paid',
  postedAt: Date.parse('2026-03-01T00:00:00.001Z'),
  effectiveAt: Date.parse('2026-02-28T23:59:59.999Z'),
  requestId: '018f4d3e-7b2a-7000-8000-000000000006',
  floorOverridden: false,
  textDigest: null,
  text: null,
  reverses: null,
  occurredOn: null,
  postings: [posting(), posting({ ordinal: 2, amount: 5n })],
  ...change,
});

/** The same text by a general canonicaliser: integers as strings, times in RFC 3339, bytes in hex. */
function canonical(previous: string, of: UnsealedEntry): string {
  return canonicalize({
    previous_hash: previous,
    book_id: BOOK,
    sequence: `${of.sequence}`,
    id: of.id,
    resource: of.resource,
    resource_id: of.resourceId,
    step: of.step,
    posted_at: new Date(of.postedAt).toISOString(),
    effective_at: new Date(of.effectiveAt).toISOString(),
    request_id: of.requestId,
    floor_overridden: of.floorOverridden,
    text_digest: of.textDigest?.toString('hex') ?? null,
    ...(of.reverses !== null && { reverses: of.reverses }),
    ...(of.occurredOn !== null && { occurred_on: of.occurredOn }),
    postings: of.postings.map((line) => ({
      ordinal: `${line.ordinal}`,
      debit_account_id: line.debitAccountId,
      credit_account_id: line.creditAccountId,
      amount: `${line.amount}`,
      currency: line.currency,
      debit_line: `${line.debitLine}`,
      debit_balance_after: `${line.debitBalanceAfter}`,
      credit_line: `${line.creditLine}`,
      credit_balance_after: `${line.creditBalanceAfter}`,
    })),
  });
}

describe('the hashed text', () => {
  test.each`
    what                    | change
    ${'two postings'}       | ${{}}
    ${'one posting'}        | ${{ postings: [posting()] }}
    ${'a digest'}           | ${{ textDigest: Buffer.alloc(32, 7) }}
    ${'a broken floor'}     | ${{ floorOverridden: true }}
    ${'a step that counts'} | ${{ step: 'returned_12' }}
  `('is canonical JSON (RFC 8785): $what', ({ change }) => {
    const of = entry(change);
    expect(entryText(BOOK, GENESIS_HASH, of)).toBe(canonical(GENESIS_HASH, of));
  });

  test('is the same in every release, so that existing chains verify', () => {
    expect(entryHash(BOOK, GENESIS_HASH, entry())).toBe(
      '44e2485baadc814a3cbea65bf8d972cb999f7606c6ec936b763cbfb0171653c2',
    );
  });
});

describe('the hash changes with', () => {
  const original = entryHash(BOOK, GENESIS_HASH, entry());

  test.each<[string, Partial<UnsealedEntry>]>([
    ['sequence', { sequence: 43n }],
    ['id', { id: OTHER_ID }],
    ['resource', { resource: 'payment' }],
    ['resource_id', { resourceId: OTHER_ID }],
    ['step', { step: 'failed' }],
    ['posted_at, by a millisecond', { postedAt: entry().postedAt + 1 }],
    ['effective_at, by a millisecond', { effectiveAt: entry().effectiveAt + 1 }],
    ['request_id', { requestId: OTHER_ID }],
    ['floor_overridden', { floorOverridden: true }],
    ['text_digest', { textDigest: Buffer.alloc(32) }],
    ['number of postings', { postings: [posting()] }],
    ['order of postings', { postings: [posting({ amount: 5n }), posting({ ordinal: 2 })] }],
  ])('%s', (_, change) => {
    expect(entryHash(BOOK, GENESIS_HASH, entry(change))).not.toBe(original);
  });

  test.each<[string, Partial<Posting>]>([
    ['ordinal', { ordinal: 3 }],
    ['debit_account_id', { debitAccountId: OTHER_ID }],
    ['credit_account_id', { creditAccountId: OTHER_ID }],
    ['amount, by one unit beyond 2^53', { amount: posting().amount - 1n }],
    ['currency', { currency: 'KWD' }],
    ['debit_line', { debitLine: 8n }],
    ['debit_balance_after', { debitBalanceAfter: -13n }],
    ['credit_line', { creditLine: 10n }],
    ['credit_balance_after', { creditBalanceAfter: 1n }],
  ])('%s of a posting', (_, change) => {
    const changed = entry({ postings: [posting(change), posting({ ordinal: 2, amount: 5n })] });
    expect(entryHash(BOOK, GENESIS_HASH, changed)).not.toBe(original);
  });

  test('book', () => {
    expect(entryHash(OTHER_ID, GENESIS_HASH, entry())).not.toBe(original);
  });

  test('predecessor', () => {
    expect(entryHash(BOOK, '01'.repeat(32), entry())).not.toBe(original);
  });
});

describe('free text', () => {
  const text = { salt: Buffer.from('00112233445566778899aabbccddeeff', 'hex'), description: 'Gehalt März' };

  test('is in the chain as a salted digest: erasing it does not change the hash', () => {
    const sealed = entry({ textDigest: textDigest(text), text });
    expect(entryHash(BOOK, GENESIS_HASH, sealed)).toEqual(entryHash(BOOK, GENESIS_HASH, { ...sealed, text: null }));
  });

  test('has another digest with another salt or another text', () => {
    const digests = [
      textDigest(text),
      textDigest({ ...text, salt: Buffer.alloc(16) }),
      textDigest({ ...text, description: 'Gehalt Mai' }),
    ].map((digest) => digest.toString('hex'));
    expect(new Set(digests).size).toBe(3);
  });
});
