/**
 * The fonts that documents embed: Noto Sans for Latin, Greek and Cyrillic, Noto Sans Arabic (SIL Open Font License). Each file has a part of the
 * characters, and is read once, when a text first needs it.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { resolve } = createRequire(import.meta.url);

const sans = (part: string, weight: number) => `@fontsource/noto-sans/files/noto-sans-${part}-${weight}-normal.woff`;

/** In the order in which they are asked for a character. */
export const FACES: Readonly<Record<string, string>> = {
  latin: sans('latin', 400),
  'latin-ext': sans('latin-ext', 400),
  arabic: '@fontsource/noto-sans-arabic/files/noto-sans-arabic-arabic-400-normal.woff',
  greek: sans('greek', 400),
  cyrillic: sans('cyrillic', 400),
};

/** For headings, which are Latin. */
export const BOLD = sans('latin', 700);

const read = new Map<string, Buffer>();

export function fontFile(name: string): Buffer {
  const known = read.get(name);
  if (known) return known;
  const file = readFileSync(resolve(name));
  read.set(name, file);
  return file;
}
