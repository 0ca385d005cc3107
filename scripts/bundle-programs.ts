/**
 * Part of `npm run build`: `dist/src/server.bundle.js` and `dist/workers/run.bundle.js`, all of our modules of a program in two files. Most of a
 * start is finding and reading modules: a bundle starts in half the time. Packages stay where npm put them.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { BUNDLED } from './harness/programs.ts';

const DIST = fileURLToPath(new URL('../dist', import.meta.url));
/** What several entries share lies where the modules of src/http/reference lie, which look for their assets beside themselves. */
const SHARED_FOLDER = 'src/http/reference';
/** The API alone has these modules: an entry of their own, so that they are shared too, and lie there. */
const FINDS_ASSETS = `${SHARED_FOLDER}/reference.ts`;
const SHARED_PREFIX = 'bundled-';

for (const file of readdirSync(join(DIST, SHARED_FOLDER)))
  if (file.startsWith(SHARED_PREFIX)) rmSync(join(DIST, SHARED_FOLDER, file));

await build({
  absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
  entryPoints: [...BUNDLED, FINDS_ASSETS],
  outdir: DIST,
  outbase: '.',
  entryNames: '[dir]/[name].bundle',
  chunkNames: `${SHARED_FOLDER}/${SHARED_PREFIX}[hash]`,
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
});
