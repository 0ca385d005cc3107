/**
 * Runs every command of docs/proofs.md, in order, in one shell, against a running product. Also checks what the
 * commands print when something is wrong.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program as checkpoint } from '../../scripts/checkpoint.ts';
import { program as verify } from '../../scripts/verify.ts';
import type { CheckpointView } from '../../src/proofs/checkpoint.ts';
import type { InclusionProof } from '../../src/proofs/prove.ts';
import { newSigningSeed } from '../support/checkpoints.ts';
import { type Product, startProduct } from '../support/product.ts';
import { runHere } from '../support/run-here.ts';
import { corrupt } from '../support/verify-scene.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let product: Product;
let kept: string;
let environment: NodeJS.ProcessEnv;

async function run([program, ...options]: string[], change: NodeJS.ProcessEnv = {}) {
  const child = spawn(program!, options, { cwd: ROOT, env: { ...environment, ...change } });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [output, errors, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { status, output, errors };
}
/** The same command within this process. */
async function tool(program: Command, options: string[], change: NodeJS.ProcessEnv = {}) {
  const { code, out, err } = await runHere(program, options, { ...environment, ...change });
  return { status: code, output: out, errors: err };
}

/** The guide uses a shell and curl. */
const found = ['bash', 'curl'].every((program) => spawnSync(program, ['--version']).status === 0);
if (!found) console.warn('docs/proofs.md is not tried: there is no bash or no curl on PATH');

describe.skipIf(!found)('proofs for auditors', () => {
  beforeAll(async () => {
    product = await startProduct({ backend: 'postgres' });
    const { keys, client } = await product.organisation();
    const account = await client.openAccount();
    const payout = await client.pay({ account: account.id });
    const [entry] = (await client.payoutUntil(payout.id, 'paid')).journal_entries;
    kept = mkdtempSync(join(tmpdir(), 'countinghouse-kept-'));
    environment = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      API: product.baseUrl,
      KEY: keys.testKey,
      ENTRY: entry,
      KEPT: kept,
      DATABASE_URL: product.database.applicationUrl,
      SIGNER_DATABASE_URL: product.database.signerUrl,
      CHECKPOINT_SIGNING_KEY: newSigningSeed(),
    };
    // The guide begins with a book that has a checkpoint.
    expect((await run(['npm', 'run', '--silent', 'checkpoint'])).status).toBe(0);
    await client.openAccount({ funds: 5 });
  });

  afterAll(async () => {
    await product?.close();
    rmSync(kept, { recursive: true, force: true });
  });

  test('every command of the guide works, and prints what the guide says', async () => {
    const guide = readFileSync(join(ROOT, 'docs/proofs.md'), 'utf8');
    const blocks = [...guide.matchAll(/```sh\n([\s\S]*?)```\n(?:<!-- expect: (.*?) -->)?/g)];
    expect(blocks.length).toBeGreaterThan(6);
    const script = ['set -euo pipefail', ...blocks.map(([, commands]) => `${commands}printf '\\036'`)].join('\n');
    const { status, output, errors } = await run(['bash', '-c', script]);
    expect([status, errors.replace(/^No key was pinned.*\n/gm, '')]).toEqual([0, '']);
    const outputs = output.split('\u001e');
    for (const [at, [, , expected]] of blocks.entries()) if (expected) expect(outputs[at]).toContain(expected);
  });

  describe('with files alone', () => {
    const file = (name: string) => join(kept, name);
    const read = <Content>(name: string) => JSON.parse(readFileSync(file(name), 'utf8')) as Content;
    const noDatabase = { DATABASE_URL: '', SIGNER_DATABASE_URL: '', COUNTINGHOUSE_DATA: '/nonexistent' };
    const judge = (options: string[]) => tool(verify, options, noDatabase);

    test('a proof with another amount fails, and the output says why', async () => {
      const proof = read<InclusionProof>('proof.json');
      (proof.entry.postings as { amount: string }[])[0]!.amount = '1';
      writeFileSync(file('false.json'), JSON.stringify(proof));
      const { status, output } = await judge([
        '--checkpoint',
        file('checkpoints.jsonl'),
        '--proof',
        file('false.json'),
      ]);
      expect(status).toBe(1);
      expect(output).toMatch(/FAILS {2}Entry je_.* it is not the entry that was booked\./);
      expect(output).toMatch(/Not everything holds\.\n$/);
    });

    test('--json prints JSON', async () => {
      const options = ['--checkpoint', file('checkpoints.jsonl'), '--proof', file('proof.json'), '--json'];
      const { status, output } = await judge(options);
      expect([status, JSON.parse(output)]).toMatchObject([0, { ok: true }]);
    });

    test.each<[what: string, options: () => string[], says: RegExp]>([
      ['no checkpoint', () => ['--proof', file('proof.json')], /--proof is checked against --checkpoint FILE/],
      ['no such file', () => ['--checkpoint', file('none'), '--proof', file('proof.json')], /none: ENOENT/],
      [
        'a checkpoint for a proof',
        () => ['--checkpoint', file('checkpoints.jsonl'), '--proof', file('monday.json')],
        /neither an inclusion_proof nor a consistency_proof/,
      ],
      ['no JSON', () => ['--checkpoint', file('key.txt'), '--proof', file('proof.json')], /It is not JSON/],
    ])('%s: exits with 2', async (_, options, says) => {
      const { status, errors } = await judge(options());
      expect([status, errors]).toEqual([2, expect.stringMatching(says)]);
    });
  });

  test('without a key, the command names the variable to set', async () => {
    const { status, errors } = await tool(checkpoint, [], { CHECKPOINT_SIGNING_KEY: '' });
    expect([status, errors]).toEqual([
      2,
      expect.stringContaining('CHECKPOINT_SIGNING_KEY is not set; it expects an Ed25519 key'),
    ]);
  });

  test('a changed journal is not signed, and a checkpoint kept elsewhere shows the change', async () => {
    await product.stopPools();
    await corrupt(product.database.superuserUrl, [
      "UPDATE events SET actor = 'another' WHERE sequence = 1 AND book_id = (SELECT book_id FROM checkpoints LIMIT 1)",
      'DELETE FROM checkpoints',
    ]);
    const found = await tool(verify, ['--checkpoint', join(kept, 'monday.json'), '--json']);
    expect(found.status).toBe(1);
    const { findings } = JSON.parse(found.output) as { findings: { check: string; ids: { checkpoint: string } }[] };
    expect(findings.map(({ check, ids }) => [check, ids.checkpoint])).toEqual([
      [
        'checkpoint.events',
        (JSON.parse(readFileSync(join(kept, 'monday.json'), 'utf8')) as { data: CheckpointView[] }).data[0]!.id,
      ],
    ]);
    await corrupt(product.database.superuserUrl, ['UPDATE postings SET amount = amount + 1 WHERE entry_sequence = 1']);
    const refused = await tool(checkpoint, ['--json']);
    expect([refused.status, JSON.parse(refused.output)]).toMatchObject([1, { made: 0, refused: 1 }]);
    expect(refused.errors).toContain('Entry 1 is not what its hash says');
  });
});
