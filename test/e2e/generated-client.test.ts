/** A client generated from the document compiles, and moves money with its types checked. */
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Product, startProduct } from '../support/product.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const PROGRAM = 'program.ts';

let product: Product;
let folder: string;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres' });
  folder = await mkdtemp(join(tmpdir(), 'countinghouse-client-'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await copyFile(join(import.meta.dirname, 'generated-client', PROGRAM), join(folder, PROGRAM));
  const answer = await fetch(`${product.baseUrl}/openapi.json`);
  const generated = await openapiTS((await answer.json()) as OpenAPI3);
  await writeFile(join(folder, 'reference.ts'), astToString(generated));
});

afterAll(async () => {
  await product?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

test('the client compiles without a fault, and finds those of a wrong program', async () => {
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        target: 'ES2023',
        module: 'NodeNext',
        strict: true,
        noUncheckedIndexedAccess: true,
        noEmit: true,
        skipLibCheck: true,
        types: ['node'],
      },
      files: [PROGRAM],
    }),
  );
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  // What the compiler finds is on its standard output, which a failure of `run` does not show.
  const { stdout } = await run(process.execPath, [compiler, '-p', folder]).catch((fault: { stdout: string }) => fault);
  expect(stdout).toBe('');
});

test('the client completes a dry run, a payout and a list', async () => {
  const { keys } = await product.organisation();
  const { stdout } = await run(process.execPath, ['--import', 'tsx', PROGRAM], {
    cwd: folder,
    env: { ...process.env, API_URL: product.baseUrl, API_KEY: keys.testKey },
  });
  const told = JSON.parse(stdout);
  expect(told).toMatchObject({
    preview: { dryRun: true, status: 'pending' },
    payout: { status: 'paid', failure: null, payee: expect.stringContaining('*') },
    told: '5124 paid',
    list: { listed: [[told.payout.id, 'paid']], hasMore: false },
    refused: { code: 'insufficient_funds', status: 422 },
  });
  expect(told.preview.left).toBeLessThanOrEqual(100_000 - 5_124);
});
