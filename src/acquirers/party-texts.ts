/**
 * What texts sent to an acquirer may contain. A text is refused when the request is, with the rule, and never cut or
 * rewritten later: networks drop, replace or decline what they do not accept.
 */

export interface TextRule {
  /** Why a text is refused; undefined for one that is accepted. */
  fault(text: string): string | undefined;
}

/** ISO 8583 field 43: the characters that every network accepts. */
const DESCRIPTOR_PATTERN = /^[A-Za-z0-9 .,\-&/'()+]*$/;
export const DESCRIPTOR_CHARACTERS = "A to Z, a to z, 0 to 9, space and . , - & / ' ( ) +";

export const STATEMENT_DESCRIPTOR: TextRule = {
  fault: (text) =>
    DESCRIPTOR_PATTERN.test(text) && /[A-Za-z]/.test(text)
      ? undefined
      : `Expects ${DESCRIPTOR_CHARACTERS}, and at least one letter: card networks take no others.`,
};

/** Names, addresses: a field of one line. */
export const ONE_LINE: TextRule = {
  fault: (text) =>
    /[\p{Cc}\u2028\u2029]/u.test(text) ? 'Expects one line, without line breaks and control characters.' : undefined,
};

/** Text for people to read: lines and tabs, and no other control characters. */
export const LINES: TextRule = {
  fault: (text) =>
    /[^\P{Cc}\t\n\r]/u.test(text) ? 'Expects no control characters but line breaks and tabs.' : undefined,
};

/** References and tokens (docs/partners.md). */
export const WORD: TextRule = {
  fault: (text) => (/^[\x21-\x7e]*$/.test(text) ? undefined : 'Expects visible ASCII characters, without spaces.'),
};
