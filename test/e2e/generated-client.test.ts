/** Clients generated from the document compile, and move money with their types checked: docs/clients.md. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@hey-api/openapi-ts';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Product, startProduct } from '../support/product.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');

/** By the name of the program: what makes its client of the document, in a folder. */
const GENERATORS: Readonly<Record<string, (document: object, folder: string) => Promise<unknown>>> = {
  'openapi-fetch.ts': async (document, folder) =>
    writeFile(join(folder, 'reference.ts'), astToString(await openapiTS(document as OpenAPI3))),
  'hey-api.ts': (document, folder) =>
    createClient({
      // A file of its own: the generator writes into what it is given.
      input: structuredClone(document) as Record<string, unknown>,
      output: join(folder, 'reference'),
      plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
      logs: { level: 'silent', file: false },
    }),
};

let product: Product;
let folder: string;
let document: object;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres' });
  folder = await mkdtemp(join(tmpdir(), 'countinghouse-client-'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const answer = await fetch(`${product.baseUrl}/openapi.json`);
  document = (await answer.json()) as object;
});

afterAll(async () => {
  await product?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

describe.each(Object.entries(GENERATORS))('the client of %s', (program, generate) => {
  let own: string;

  beforeAll(async () => {
    own = join(folder, program.replace('.ts', ''));
    await mkdir(own);
    await writeFile(join(own, 'package.json'), '{"type":"module"}');
    await copyFile(join(import.meta.dirname, 'generated-client', program), join(own, program));
    await generate(document, own);
  });

  test('compiles without a fault, and finds those of a wrong program', async () => {
    await writeFile(
      join(own, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          target: 'ES2023',
          module: 'ESNext',
          moduleResolution: 'Bundler',
          strict: true,
          noUncheckedIndexedAccess: true,
          noEmit: true,
          skipLibCheck: true,
          types: ['node'],
        },
        files: [program],
      }),
    );
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    // What the compiler finds is on its standard output, which a failure of `run` does not show.
    const { stdout } = await run(process.execPath, [compiler, '-p', own]).catch((fault: { stdout: string }) => fault);
    expect(stdout).toBe('');
  });

  test('completes a dry run, a payout, a payment and lists', async () => {
    const { keys } = await product.organisation();
    const { stdout } = await run(process.execPath, ['--import', 'tsx', program], {
      cwd: own,
      env: { ...process.env, API_URL: product.baseUrl, API_KEY: keys.testKey },
    });
    const told = JSON.parse(stdout);
    expect(told).toMatchObject({
      preview: { dryRun: true, status: 'pending' },
      payout: { status: 'paid', failure: null, payee: expect.stringContaining('*') },
      payment: { capture: 'automatic', initiator: 'customer' },
      told: '5124 paid',
      list: { listed: [[told.payout.id, 'paid']], before: 0, hasMore: false },
      refused: { code: 'insufficient_funds', status: 422 },
    });
    expect(told.preview.left).toBeLessThanOrEqual(100_000 - 5_124);
  });
});
