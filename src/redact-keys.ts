/** Redacts API keys in logged texts: in paths and messages, in any spelling that a path can have. */

const KEY = /sk_(test|live)_[A-Za-z0-9_-]*/gi;
const PERCENT_ENCODED = /%[0-7][0-9a-f]/gi;

/**
 * The text without API keys. A text that hides a key behind percent-encoding is decoded as often as it takes, and stays
 * decoded: a reader of the log may decode it as well.
 */
export function redactKeys(text: string): string {
  const plain = text.replace(KEY, 'sk_$1_[redacted]');
  if (!plain.includes('%')) return plain;
  const decoded = decodedAscii(plain);
  const redacted = decoded.replace(KEY, 'sk_$1_[redacted]');
  return redacted === decoded ? plain : redacted;
}

/** Decodes ASCII alone, which is all that keys and card numbers are made of. Each round shortens the text, so the loop ends. */
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
