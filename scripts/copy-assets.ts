/** Part of `npm run build`: puts beside the compiled programs what they serve to browsers, so that `dist/` is all that is deployed. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUILT_REFERENCE, installedReference } from '../src/http/reference-assets.ts';

const source = installedReference();
if (source === undefined) throw new Error('@scalar/api-reference is not installed: run npm ci');
copy(source, `src/http/${BUILT_REFERENCE}`);
copy(fileURLToPath(new URL('../docs/compatibility.md', import.meta.url)), 'docs/compatibility.md');

function copy(file: string, place: string): void {
  const target = fileURLToPath(new URL(`../dist/${place}`, import.meta.url));
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(file, target);
}
