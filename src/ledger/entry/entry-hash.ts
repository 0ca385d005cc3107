/**
 * The hash chain. An entry's hash is SHA-256 over the canonical JSON (RFC 8785) of its predecessor's hash and every
 * column of the entry and its postings. Integers are written as strings, since JSON numbers end at 2^53.
 * The JSON is written by hand, with its keys in sorted order: an entry costs one hash and no intermediate objects. A test
 * compares it with a general canonicaliser.
 */
import { createHash, hash } from 'node:crypto';
import { formatInstant } from '../../values/clock.ts';
import type { BookId } from '../book/book.ts';
import type { Entry, EntryText, Posting } from './entry.ts';

/** The previous hash of a book's first entry. Outside the database, a hash is 64 hexadecimal digits. */
export const GENESIS_HASH = '0'.repeat(64);

export type UnsealedEntry = Omit<Entry, 'hash'>;
/** Only the digest of the free text is hashed. */
type HashedEntry = Omit<UnsealedEntry, 'text'> & { text?: unknown };

export function entryHash(bookId: BookId, previousHash: string, entry: HashedEntry): string {
  return hash('sha256', entryText(bookId, previousHash, entry), 'hex');
}

/** The canonical JSON that is hashed. `resource` and `step` are the product's own words and need no escaping. */
export function entryText(bookId: BookId, previousHash: string, entry: HashedEntry): string {
  let postings = '';
  for (const posting of entry.postings) postings += (postings === '' ? '' : ',') + postingText(posting);
  const digest = entry.textDigest === null ? 'null' : `"${entry.textDigest.toString('hex')}"`;
  // Left out where they are null, as in every entry of before they existed.
  const occurred = entry.occurredOn === null ? '' : `"occurred_on":"${entry.occurredOn}",`;
  const reverses = entry.reverses === null ? '' : `"reverses":"${entry.reverses}",`;
  return `{"book_id":"${bookId}","effective_at":"${formatInstant(entry.effectiveAt)}","floor_overridden":${entry.floorOverridden},"id":"${entry.id}",${occurred}"posted_at":"${formatInstant(entry.postedAt)}","postings":[${postings}],"previous_hash":"${previousHash}","request_id":"${entry.requestId}","resource":"${entry.resource}","resource_id":"${entry.resourceId}",${reverses}"sequence":"${entry.sequence}","step":"${entry.step}","text_digest":${digest}}`;
}

function postingText(posting: Posting): string {
  return `{"amount":"${posting.amount}","credit_account_id":"${posting.creditAccountId}","credit_balance_after":"${posting.creditBalanceAfter}","credit_line":"${posting.creditLine}","currency":"${posting.currency}","debit_account_id":"${posting.debitAccountId}","debit_balance_after":"${posting.debitBalanceAfter}","debit_line":"${posting.debitLine}","ordinal":"${posting.ordinal}"}`;
}

/**
 * The digest of free text in the chain: SHA-256 over salt and text. It proves the text. Once
 * the salt is erased, guesses of the text cannot be tested against the digest.
 */
export function textDigest(text: EntryText): Buffer {
  return createHash('sha256').update(text.salt).update(text.description).digest();
}
