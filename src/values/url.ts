/**
 * Undefined for a text that is no URL. `URL.canParse` is not asked: once V8 has optimised its call, Node 20 reads letters of Latin-1 as if
 * they were UTF-8, and refuses a host such as bücher.example from the two thousandth call on.
 */
export function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

export function isUrl(text: string): boolean {
  return parsedUrl(text) !== undefined;
}
