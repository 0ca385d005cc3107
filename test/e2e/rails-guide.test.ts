/** Runs every command of docs/rails.md, in order, in one shell, against a running product. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contractOf } from '../support/contracted.ts';
import { type Product, startProduct } from '../support/product.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BLOCKS = [
  ...readFileSync(join(ROOT, 'docs/rails.md'), 'utf8').matchAll(/```sh\n([\s\S]*?)```\n(?:<!-- expect: (.*?) -->)?/g),
].map(([, commands, expected]) => ({ commands: commands!, expected }));

/** The guide uses a shell, curl and jq. */
const found = ['bash', 'curl', 'jq'].every((program) => spawnSync(program, ['--version']).status === 0);
if (!found) console.warn('docs/rails.md is not tried: there is no bash, no curl or no jq on PATH');

describe.skipIf(!found)('the guide of rails', () => {
  let bank: string;
  let product: Product | undefined;
  let environment: NodeJS.ProcessEnv;

  async function run(commands: string) {
    const child = spawn('bash', ['-c', `set -euo pipefail\n${commands}`], { cwd: ROOT, env: environment });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [output, errors, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { status, output, errors };
  }

  beforeAll(() => {
    bank = mkdtempSync(join(tmpdir(), 'rails-guide-'));
    environment = { PATH: process.env.PATH, HOME: process.env.HOME, BANK: bank };
  });
  afterAll(async () => {
    await product?.close();
    rmSync(bank, { recursive: true, force: true });
  });

  test('every command works, and prints what the guide says', async () => {
    expect(BLOCKS.length).toBeGreaterThan(4);
    const [first, ...rest] = BLOCKS;
    const made = await run(first!.commands);
    expect([made.status, made.errors]).toEqual([0, '']);
    const [, RAILS_FILE] = new RegExp(`^${first!.expected}(.+)$`, 'm').exec(made.output)!;
    // The guide says: start the API and the workers with it.
    const started = await startProduct({ backend: 'postgres', environment: { RAILS_FILE: RAILS_FILE! } });
    product = started;
    await contractOf(started);
    const { keys } = await started.organisation();
    environment = { ...environment, API: started.baseUrl, KEY: keys.testKey };
    const { status, output, errors } = await run(rest.map(({ commands }) => `${commands}printf '\\036'`).join('\n'));
    expect([status, errors]).toEqual([0, '']);
    const outputs = output.split('\u001e');
    for (const [at, { expected }] of rest.entries()) if (expected) expect(outputs[at]).toContain(expected);
  });
});
