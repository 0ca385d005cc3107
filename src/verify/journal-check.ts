/**
 * Checks the journal: entries are numbered without a gap, do not run back in time, have postings, and belong to a
 * resource that exists. Each hash covers the predecessor's hash and every column of the entry, up to the head in the
 * book's row.
 */

import type { Check, CheckContext } from '../group/check-context.ts';
import { codeOf } from '../group/equation.ts';
import { entryHash, GENESIS_HASH, textDigest } from '../ledger/entry/entry-hash.ts';
import { formatInstant, type Instant } from '../values/clock.ts';
import { publicId, resourceReference } from '../values/ids.ts';
import { findResources, type JournalRow, readJournal, readSteps, type StepRow } from './journal-check-store.ts';
import { readAhead } from './read-ahead.ts';

/** Entries in one page: some 2 MB with their postings. */
const PAGE = 2_000;

/** The previous entry: the sequence, hash and time of the next entry are checked against it. */
export interface Predecessor {
  sequence: bigint;
  hash: string;
  postedAt: Instant;
}

export const GENESIS: Predecessor = { sequence: 0n, hash: GENESIS_HASH, postedAt: Number.NEGATIVE_INFINITY };

export const journalCheck: Check = {
  name: 'entries',
  async run(context) {
    const { pool, book } = context;
    let previous = GENESIS;
    const pages = readAhead<JournalRow>((last) =>
      readJournal(pool, book.id, { after: last?.sequence ?? 0n, upTo: book.entrySequence, limit: PAGE }),
    );
    for await (const entries of pages) previous = await checkEntries(context, entries, previous);
    checkEnd(context, previous, book.entrySequence);
    await checkSteps(context);
  },
};

/** Checks consecutive entries. Resolves to the last of them. */
export async function checkEntries(
  context: CheckContext,
  entries: readonly JournalRow[],
  before: Predecessor,
): Promise<Predecessor> {
  let previous = before;
  for (const entry of entries) {
    checkEntry(context, entry, previous);
    previous = entry;
  }
  await checkResources(context, entries);
  context.advance(entries.length);
  return previous;
}

const idsOf = (entry: Pick<JournalRow, 'id' | 'sequence'>) => ({
  entry: publicId('entry', entry.id),
  sequence: `${entry.sequence}`,
});

function checkEntry(context: CheckContext, entry: JournalRow, previous: Predecessor): void {
  const { book, report } = context;
  const ids = idsOf(entry);
  const follows = entry.sequence === previous.sequence + 1n;
  if (!follows) {
    report({
      check: 'journal.sequence',
      ids,
      expected: `${previous.sequence + 1n}`,
      actual: `${entry.sequence}`,
      detail: `Entries ${previous.sequence + 1n} to ${entry.sequence - 1n} are missing.`,
    });
  }
  checkTime(context, entry, previous);
  // Behind a gap the predecessor's hash is missing too, and the gap is reported already.
  const hash = entryHash(book.id, previous.hash, entry);
  if (follows && hash !== entry.hash) {
    report({
      check: 'journal.chain',
      ids,
      expected: hash,
      actual: entry.hash,
      detail: 'The hash is not that of the entry, its postings and its predecessor: one of them was changed.',
    });
  }
  checkPostings(context, entry);
  checkTied(context, entry);
  checkText(context, entry);
}

function checkTime({ book, report }: CheckContext, entry: JournalRow, previous: Predecessor): void {
  const found = { check: 'journal.time', ids: idsOf(entry), actual: formatInstant(entry.postedAt) } as const;
  if (entry.postedAt < previous.postedAt) {
    const expected = `not before ${formatInstant(previous.postedAt)}`;
    report({ ...found, expected, detail: 'The entry was posted before its predecessor.' });
  }
  if (entry.postedAt > book.lastPostedAt) {
    const expected = `not after ${formatInstant(book.lastPostedAt)}`;
    report({ ...found, expected, detail: 'The entry was posted after the last moment that the book knows of.' });
  }
}

function checkPostings({ report }: CheckContext, entry: JournalRow): void {
  const ordinals = entry.postings.map(({ ordinal }) => ordinal);
  if (ordinals.length > 0 && ordinals.every((ordinal, at) => ordinal === at + 1)) return;
  report({
    check: 'journal.postings',
    ids: idsOf(entry),
    expected: 'postings numbered from 1 without a gap, at least one',
    actual: ordinals.length === 0 ? 'none' : ordinals.join(', '),
    detail: ordinals.length === 0 ? 'The entry has no posting.' : 'A posting of the entry is missing.',
  });
}

/** Rows explain every movement of an account of the chart: an entry without an equation for the account belongs to nothing. */
function checkTied({ book, tied, report }: CheckContext, entry: JournalRow): void {
  const codes = tied.get(entry.resource);
  for (const { debitAccountId, creditAccountId, currency } of entry.postings) {
    for (const accountId of [debitAccountId, creditAccountId]) {
      const code = codeOf(book.id, currency, accountId);
      if (code === 'customer' || codes?.has(code)) continue;
      report({
        check: 'account.untied',
        ids: { account: publicId('account', accountId), ...idsOf(entry) },
        expected: `an entry of something whose rows say what stands on ${code}`,
        actual: `an entry of ${entry.resource}`,
        detail: `No rows of ${entry.resource} say what entries of it move on ${code}.`,
      });
    }
  }
}

/** A text may be erased while its digest stays. A text that exists must match the digest. */
function checkText({ report }: CheckContext, entry: JournalRow): void {
  if (entry.text === null) return;
  const expected = entry.textDigest?.toString('hex') ?? 'no text';
  const actual = textDigest(entry.text).toString('hex');
  if (expected === actual) return;
  report({
    check: 'journal.text',
    ids: idsOf(entry),
    expected,
    actual,
    detail: 'The text is not the one whose digest is in the chain.',
  });
}

/** An entry of a resource that no group declares is not looked up. */
async function checkResources(context: CheckContext, entries: readonly JournalRow[]): Promise<void> {
  const { pool, book, resources, report } = context;
  const declared = new Set<string>(resources.map(({ name }) => name));
  const owned = entries.filter(({ resource }) => declared.has(resource));
  if (owned.length === 0) return;
  const resourceIds = (name: string) =>
    owned.filter((entry) => entry.resource === name).map(({ resourceId }) => resourceId);
  const found = await findResources(pool, book.id, { resources, idsOf: resourceIds });
  for (const entry of owned) {
    if (found.has(`${entry.resource} ${entry.resourceId}`)) continue;
    const reference = resourceReference(entry.resource, entry.resourceId);
    report({
      check: 'journal.resource',
      ids: { ...idsOf(entry), [entry.resource]: reference },
      expected: `a row of ${entry.resource} ${reference}`,
      actual: 'none',
      detail: `The entry is step ${entry.step} of something that does not exist.`,
    });
  }
}

/** Checks that the entries read reach `upTo`. At the head of the book, the last hash is the book's. */
export function checkEnd({ book, report }: CheckContext, last: Predecessor, upTo: bigint): void {
  if (last.sequence < upTo) {
    report({
      check: 'journal.sequence',
      ids: { sequence: `${upTo}` },
      expected: `${upTo}`,
      actual: `${last.sequence}`,
      detail: `Entries ${last.sequence + 1n} to ${upTo} are missing.`,
    });
  } else if (upTo === book.entrySequence && last.hash !== book.chainHash) {
    report({
      check: 'journal.head',
      ids: { sequence: `${last.sequence}` },
      expected: last.hash,
      actual: book.chainHash,
      detail: "The head of the chain in the book's row is not the hash of its last entry.",
    });
  }
}

async function checkSteps(context: CheckContext): Promise<void> {
  const { pool, book } = context;
  let previous: StepRow | undefined;
  const pages = readAhead<StepRow>((after) =>
    readSteps(pool, book.id, { after, upTo: book.entrySequence, limit: 4 * PAGE }),
  );
  for await (const steps of pages) {
    for (const step of steps) {
      if (step.resourceId === previous?.resourceId && step.step === previous.step) {
        reportTwice(context, step, previous.sequence);
      }
      previous = step;
    }
  }
}

export function reportTwice({ report }: CheckContext, step: StepRow, earlier: bigint): void {
  report({
    check: 'journal.step',
    ids: { resource: step.resourceId, sequence: `${step.sequence}` },
    expected: `step ${step.step} once`,
    actual: `in entries ${earlier} and ${step.sequence}`,
    detail: 'One step of one resource was booked twice.',
  });
}
