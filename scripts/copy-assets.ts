/**
 * Part of `npm run build`: copies the assets that the programs serve beside them, so that `dist/` is all that is
 * deployed. Takes out migrations that an earlier build left: the program runs those that it finds in its folder.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DOCS_FOLDER } from '../src/http/reference/guides.ts';
import { EXAMPLES_FOLDER } from '../src/http/reference/openapi-examples.ts';
import { BUILT_REFERENCE, installedReference } from '../src/http/reference/reference-assets.ts';

const reference = installedReference();
if (reference === undefined) throw new Error('@scalar/api-reference is not installed: run npm ci');
copy(reference, `src/http/reference/${BUILT_REFERENCE}`);
copy(fileURLToPath(EXAMPLES_FOLDER), 'src/http/reference/examples');
copy(fileURLToPath(DOCS_FOLDER), 'docs');

dropStale('migrations');

function copy(file: string, place: string): void {
  const target = fileURLToPath(new URL(`../dist/${place}`, import.meta.url));
  rmSync(target, { recursive: true, force: true });
  mkdirSync(dirname(target), { recursive: true });
  cpSync(file, target, { recursive: true });
}

function dropStale(folder: string): void {
  const [sources, built] = ['..', '../dist'].map((root) =>
    fileURLToPath(new URL(`${root}/${folder}`, import.meta.url)),
  );
  for (const file of readdirSync(built!)) {
    const { name } = parse(file.replace(/\.map$/, ''));
    if (!existsSync(join(sources!, `${name}.ts`))) rmSync(join(built!, file));
  }
}
