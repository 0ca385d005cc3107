/** Part of `npm run build`: puts beside the compiled programs what they serve to browsers. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUILT_REFERENCE, installedReference } from '../src/http/reference-assets.ts';

const source = installedReference();
if (source === undefined) throw new Error('@scalar/api-reference is not installed: run npm ci');
const target = fileURLToPath(new URL(`../dist/src/http/${BUILT_REFERENCE}`, import.meta.url));
mkdirSync(dirname(target), { recursive: true });
copyFileSync(source, target);
