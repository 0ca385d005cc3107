/**
 * The link to a payment's hosted page. Its token is derived from the payment under a key of the installation, so that it need not
 * be stored: rows, events and stored answers have a mark in its place, and it is put in on its way out
 * (docs/decisions/checkout.md).
 */
import { hash } from 'node:crypto';
import type { Fingerprints } from '../../idempotency/fingerprints.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { parsePublicId, publicId, type Uuid } from '../../values/ids.ts';

type Keyed = Pick<Fingerprints, 'digestOf'>;

/** Logs redact what begins so (redact-keys.ts). */
const PREFIX = 'chk_';
const TOKEN = /^chk_[A-Za-z0-9_-]{43}$/;

/** 256 bits of an HMAC-SHA256: without the installation's key it is as good as random. */
export function checkoutToken({ digestOf }: Keyed, bookId: BookId, paymentId: Uuid): string {
  return PREFIX + Buffer.from(digestOf(`checkout ${bookId} ${paymentId}`), 'hex').toString('base64url');
}

/** What is stored of a token: SHA-256. Undefined for a text that is no token. */
export function checkoutDigest(token: string): Buffer | undefined {
  return TOKEN.test(token) ? hash('sha256', token, 'buffer') : undefined;
}

/** Without a slash at its end. */
export function checkoutUrl(keyed: Keyed, publicUrl: string, { bookId, id }: { bookId: BookId; id: Uuid }): string {
  return `${publicUrl}/checkout/${checkoutToken(keyed, bookId, id)}`;
}

/**
 * In the query of the link by which a payer returns from the acquirer: the acquirer is asked for the outcome at once.
 */
export const RETURNED = 'returned';

/** What stands in the place of the link wherever the payment's view is stored. */
export function markedCheckoutUrl(paymentId: Uuid): string {
  return `checkout:${publicId('payment', paymentId)}`;
}

/**
 * JSON that is about to leave, with its links. Only the URL of a `next_action` is looked at: no text of a client can contain
 * `"next_action":{`, since its quotes are escaped and metadata has no objects.
 */
export function withCheckoutUrls(
  json: string,
  { fingerprints, publicUrl, bookId }: { fingerprints: Keyed; publicUrl: string; bookId: BookId },
): string {
  if (!json.includes(MARK)) return json;
  return json.replace(MARKED, (whole, before: string, marked: string) => {
    const id = parsePublicId('payment', marked);
    return id === undefined ? whole : `${before}"${checkoutUrl(fingerprints, publicUrl, { bookId, id })}"`;
  });
}

const MARK = '"url":"checkout:';
const MARKED = /("next_action":\{"type":"redirect","url":)"checkout:(pay_[0-9a-z]+)"/g;
