/** Redacts API keys and tokens of checkout pages in logged texts: in paths and messages, in any spelling that a path can have. */

const KEY = /sk_(test|live)_[A-Za-z0-9_-]*/gi;
/** Tokens of checkout pages. */
const CHECKOUT = /chk_[A-Za-z0-9_-]+/gi;
const PERCENT_ENCODED = /%[0-7][0-9a-f]/gi;

/**
 * The text without them. A text that hides a key behind percent-encoding is decoded as often as it takes, and stays
 * decoded: a reader of the log may decode it as well.
 */
export function redactKeys(text: string): string {
  const plain = redactPlain(text);
  if (!plain.includes('%')) return plain;
  const decoded = decodedAscii(plain);
  const redacted = redactPlain(decoded);
  return redacted === decoded ? plain : redacted;
}

/** The text without them, where they are not encoded. */
export function redactPlain(text: string): string {
  return text.replace(KEY, 'sk_$1_[redacted]').replace(CHECKOUT, 'chk_[redacted]');
}

/** Decodes ASCII alone, the characters of keys and card numbers. Each round shortens the text, so the loop ends. */
export function decodedAscii(text: string): string {
  let decoded = text;
  for (;;) {
    const next = decoded.replace(PERCENT_ENCODED, (encoded) =>
      String.fromCharCode(Number.parseInt(encoded.slice(1), 16)),
    );
    if (next === decoded) return decoded;
    decoded = next;
  }
}
