/** Checkpoints and proofs over the API, as an auditor requests them, checked without the database. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client, List, Problem } from '../../scripts/harness/client.ts';
import { consistencyProof, inclusionProof } from '../../src/proofs/api/checkpoint-schemas.ts';
import type { CheckpointView } from '../../src/proofs/checkpoint.ts';
import { judgeCheckpoint, judgeProof } from '../../src/proofs/judge-proof.ts';
import type { ConsistencyProof, InclusionProof } from '../../src/proofs/prove.ts';
import { publicId } from '../../src/values/ids.ts';
import { checkpointIn, newSigningKey } from '../support/checkpoints.ts';
import { type OrganisationKeys, type Product, startProduct } from '../support/product.ts';

const CHECKPOINTS = '/v1/journal/checkpoints';
const key = newSigningKey();

let product: Product;
let keys: OrganisationKeys;
let client: Client;
let entries: string[];

const checkpoint = async () => publicId('checkpoint', (await checkpointIn(product.database, keys.testBookId, key)).id);
const broken = (judgements: readonly { isSound: boolean; text: string }[]) =>
  judgements.filter(({ isSound }) => !isSound).map(({ text }) => text);

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres' });
  ({ keys, client } = await product.organisation());
  const account = await client.openAccount();
  const payout = await client.pay({ account: account.id });
  entries = (await client.payoutUntil(payout.id, 'paid')).journal_entries;
});

afterAll(() => product?.close());

test('an entry without a covering checkpoint has no proof, and the answer says when it will', async () => {
  const { status, body } = await client.get<Problem>(`/v1/journal/entries/${entries[0]}/proof`);
  expect([status, body.code, body.detail]).toEqual([
    409,
    'state_conflict',
    expect.stringMatching(/^The book has no checkpoint yet\. Try again after the next checkpoint/),
  ]);
  await checkpoint();
  const later = await client.openAccount({ funds: 5 });
  const newest = (await client.read<List<{ id: string }>>('/v1/journal/entries?limit=1')).data[0]!;
  expect(later.id).toBeDefined();
  expect((await client.get<Problem>(`/v1/journal/entries/${newest.id}/proof`)).body.detail).toMatch(
    /covers \d+ entries, and this one is number \d+\./,
  );
});

describe('the API', () => {
  let older: CheckpointView;
  let newer: CheckpointView;

  beforeAll(async () => {
    older = await client.read<CheckpointView>(`${CHECKPOINTS}/${await checkpoint()}`);
    await client.openAccount({ funds: 7 });
    newer = await client.read<CheckpointView>(`${CHECKPOINTS}/${await checkpoint()}`);
  });

  test('lists checkpoints, newest first, each with a valid signature', async () => {
    const { data, has_more } = await client.read<List<CheckpointView>>(`${CHECKPOINTS}?limit=2`);
    expect(data).toEqual([newer, older]);
    expect(has_more).toBe(true);
    for (const each of data) expect(broken(judgeCheckpoint(each, [key.keyId]))).toEqual([]);
  });

  test('proves every entry of a payout against the newest checkpoint', async () => {
    for (const entry of entries) {
      const proof = await client.read<InclusionProof>(`/v1/journal/entries/${entry}/proof`);
      expect(inclusionProof.safeParse(proof).error).toBeUndefined();
      expect(proof.checkpoint).toEqual(newer);
      expect(broken(judgeProof(proof, [newer]))).toEqual([]);
      expect(broken(judgeProof(proof, [older]))).toEqual([expect.stringContaining('none of those that you hold')]);
    }
  });

  test('proves an entry against an older checkpoint', async () => {
    const proof = await client.read<InclusionProof>(`/v1/journal/entries/${entries[0]}/proof?checkpoint=${older.id}`);
    expect(broken(judgeProof(proof, [older]))).toEqual([]);
  });

  test('proves consistency with a given checkpoint, by default with the one before', async () => {
    const path = `${CHECKPOINTS}/${newer.id}/consistency`;
    const proof = await client.read<ConsistencyProof>(`${path}?from=${older.id}`);
    expect(consistencyProof.safeParse(proof).error).toBeUndefined();
    expect(broken(judgeProof(proof, [older, newer]))).toEqual([]);
    expect(await client.read<ConsistencyProof>(path)).toEqual(proof);
  });

  test('proves the first checkpoint consistent with itself, where no other is named', async () => {
    const { data, has_more } = await client.read<List<CheckpointView>>(CHECKPOINTS);
    const first = data.at(-1)!;
    expect(has_more).toBe(false);
    const proof = await client.read<ConsistencyProof>(`${CHECKPOINTS}/${first.id}/consistency`);
    expect(proof).toMatchObject({ first, second: first, entry_path: [], event_path: [] });
  });

  test('refuses to prove that an older checkpoint continues a newer one', async () => {
    const { status, body } = await client.get<Problem>(`${CHECKPOINTS}/${older.id}/consistency?from=${newer.id}`);
    expect([status, body.code, body.param]).toEqual([400, 'parameter_invalid', 'from']);
  });

  test('shows no checkpoints of another book', async () => {
    const { client: stranger } = await product.organisation();
    expect((await stranger.read<List<unknown>>(CHECKPOINTS)).data).toEqual([]);
    const foreign = await stranger.get<Problem>(`${CHECKPOINTS}/${newer.id}/consistency?from=${older.id}`);
    expect([foreign.status, foreign.body.code]).toEqual([404, 'resource_not_found']);
  });
});

describe('a tampered proof', () => {
  type Case = [what: string, says: RegExp, tamper: (proof: InclusionProof) => void];
  const flip = (hex: string) => (hex.startsWith('0') ? '1' : '0') + hex.slice(1);

  test.each<Case>([
    [
      'an amount of the entry',
      /is not the entry that was booked/,
      ({ entry }) => {
        (entry.postings as { amount: string }[])[0]!.amount = '1';
      },
    ],
    [
      'the hash before it',
      /is not the entry that was booked/,
      ({ entry }) => {
        entry.previous_hash = flip(entry.previous_hash as string);
      },
    ],
    [
      'its name',
      /not the entry, the number or the book/,
      (proof) => {
        proof.journal_entry = publicId('entry', '018f4d3e-7b2a-7000-8000-000000000004');
      },
    ],
    [
      'its place',
      /path does not lead there/,
      (proof) => {
        proof.leaf_index += 1;
      },
    ],
    [
      'its path',
      /path does not lead there/,
      (proof) => {
        proof.audit_path[0] = flip(proof.audit_path[0]!);
      },
    ],
    [
      'the root it leads to',
      /none of those that you hold/,
      ({ checkpoint: { note } }) => {
        note.root_hash = flip(note.root_hash);
      },
    ],
  ])('%s', async (_, says, tamper) => {
    const proof = await client.read<InclusionProof>(`/v1/journal/entries/${entries[0]}/proof`);
    const known = [structuredClone(proof.checkpoint)];
    tamper(proof);
    expect(broken(judgeProof(proof, known)).join(' ')).toMatch(says);
  });

  test('a changed note does not match its signature, and another key is not the pinned key', async () => {
    const { data } = await client.read<List<CheckpointView>>(CHECKPOINTS);
    const [newest] = data;
    const changed = structuredClone(newest!);
    changed.note.tree_size += 1;
    expect(broken(judgeCheckpoint(changed, [])).join(' ')).toContain('is not what ed25519:');
    expect(broken(judgeCheckpoint(newest!, [newSigningKey().keyId])).join(' ')).toContain(
      'none of the keys that you trust',
    );
    expect(broken(judgeCheckpoint(newest!, [key.publicKey.toString('base64')]))).toEqual([]);
  });
});
