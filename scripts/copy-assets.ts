/**
 * Part of `npm run build`: puts beside the compiled programs what they serve and no compiler writes, so that `dist/` is all that is
 * deployed.
 */
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DOCS_FOLDER } from '../src/http/guides.ts';
import { EXAMPLES_FOLDER } from '../src/http/openapi-examples.ts';
import { BUILT_REFERENCE, installedReference } from '../src/http/reference-assets.ts';

const source = installedReference();
if (source === undefined) throw new Error('@scalar/api-reference is not installed: run npm ci');
copy(source, `src/http/${BUILT_REFERENCE}`);
copy(fileURLToPath(EXAMPLES_FOLDER), 'src/http/examples');
copy(fileURLToPath(DOCS_FOLDER), 'docs');

function copy(file: string, place: string): void {
  const target = fileURLToPath(new URL(`../dist/${place}`, import.meta.url));
  rmSync(target, { recursive: true, force: true });
  mkdirSync(dirname(target), { recursive: true });
  cpSync(file, target, { recursive: true });
}
