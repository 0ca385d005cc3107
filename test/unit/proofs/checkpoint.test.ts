/** Keys, notes and digests against the standards, and the files that auditors give to verify. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { canonicalize } from 'json-canonicalize';
import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../../src/config.ts';
import {
  type Checkpoint,
  checkpointView,
  isWellSigned,
  signCheckpoint,
  signedText,
} from '../../../src/proofs/checkpoint.ts';
import { eventDigest, eventText } from '../../../src/proofs/event-digest.ts';
import { readCheckpoints, readProofs, UnreadableProof } from '../../../src/proofs/proof-file.ts';
import { formerKeyIdFrom, isSignedBy, keyIdOf, signingKeyFrom } from '../../../src/proofs/signing-key.ts';
import { publicId } from '../../../src/values/ids.ts';

const ID = '018f4d3e-7b2a-7000-8000-000000000004';
const BOOK = '018f4d3e-7b2a-7000-8000-000000000001';
const hex = (text: string) => Buffer.from(text, 'hex');

/** RFC 8032, 7.1, test 1. */
const SEED = hex('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60');
const PUBLIC = hex('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a');
const SIGNATURE = hex(
  'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
);
const PKCS8 = Buffer.concat([hex('302e020100300506032b657004220420'), SEED]);

describe('a key', () => {
  test.each([
    ['a seed', SEED],
    ['PKCS #8', PKCS8],
  ])('of %s signs as RFC 8032 says', (_, bytes) => {
    const key = signingKeyFrom(bytes.toString('base64'));
    expect(key.publicKey).toEqual(PUBLIC);
    expect(key.sign('')).toEqual(SIGNATURE);
    expect(key.keyId).toBe(`ed25519:${createHash('sha256').update(PUBLIC).digest('hex')}`);
  });

  test('verifies its signature only for that text', () => {
    expect(isSignedBy(PUBLIC, '', SIGNATURE)).toBe(true);
    expect(isSignedBy(PUBLIC, ' ', SIGNATURE)).toBe(false);
    expect(isSignedBy(PUBLIC, '', SIGNATURE.subarray(1))).toBe(false);
    expect(isSignedBy(PUBLIC.subarray(1), '', SIGNATURE)).toBe(false);
  });

  test.each`
    bytes                      | good
    ${SEED}                    | ${true}
    ${PKCS8}                   | ${true}
    ${SEED.subarray(1)}        | ${false}
    ${Buffer.alloc(48)}        | ${false}
    ${Buffer.from('anything')} | ${false}
  `('in the configuration is Ed25519, or an error with its name: $good', ({ bytes, good }) => {
    const environment = {
      DATABASE_URL: 'postgres://app@127.0.0.1/books',
      COUNTINGHOUSE_ENCRYPTION_KEY: SEED.toString('base64'),
      CHECKPOINT_SIGNING_KEY: bytes.toString('base64'),
    };
    if (good) expect(readConfig(environment).CHECKPOINT_SIGNING_KEY).toBe(environment.CHECKPOINT_SIGNING_KEY);
    else expect(() => readConfig(environment)).toThrow(ConfigError);
  });
});

test.each`
  keys                                                  | good
  ${''}                                                 | ${true}
  ${PUBLIC.toString('base64')}                          | ${true}
  ${`${PUBLIC.toString('base64')}, ${keyIdOf(PUBLIC)}`} | ${true}
  ${PKCS8.toString('base64')}                           | ${false}
  ${'ed25519:abc'}                                      | ${false}
`('former keys $keys are public keys or ids, or an error with its name: $good', ({ keys, good }) => {
  const environment = {
    DATABASE_URL: 'postgres://app@127.0.0.1/books',
    COUNTINGHOUSE_ENCRYPTION_KEY: SEED.toString('base64'),
    CHECKPOINT_SIGNING_KEY: SEED.toString('base64'),
    CHECKPOINT_FORMER_KEYS: keys,
  };
  if (!good) return expect(() => readConfig(environment)).toThrow(/CHECKPOINT_FORMER_KEYS/);
  const ids = readConfig(environment).CHECKPOINT_FORMER_KEYS.map(formerKeyIdFrom);
  expect(ids.every((id) => id === keyIdOf(PUBLIC))).toBe(true);
});

const checkpoint = (change: Partial<Checkpoint> = {}): Checkpoint => ({
  ...signCheckpoint(
    {
      bookId: BOOK,
      mode: 'live',
      id: ID,
      treeSize: 5_000_000n,
      rootHash: Buffer.alloc(32, 1),
      chainHash: Buffer.alloc(32, 2),
      eventTreeSize: 7n,
      eventRootHash: Buffer.alloc(32, 3),
      createdAt: Date.parse('2026-03-01T00:00:00.001Z'),
    },
    signingKeyFrom(SEED.toString('base64')),
  ),
  ...change,
});

describe('a checkpoint', () => {
  test('signs the canonical JSON of its note', () => {
    const { note, public_key, signature } = checkpointView(checkpoint());
    expect(signedText(note)).toBe(
      `{"book":"${publicId('book', BOOK)}","chain_hash":"${'02'.repeat(32)}","created_at":"2026-03-01T00:00:00.001Z","event_root_hash":"${'03'.repeat(32)}","event_tree_size":7,"key_id":"${keyIdOf(PUBLIC)}","mode":"live","root_hash":"${'01'.repeat(32)}","tree_size":5000000,"type":"countinghouse.checkpoint.v1"}`,
    );
    expect(isSignedBy(Buffer.from(public_key, 'base64'), signedText(note), Buffer.from(signature, 'base64'))).toBe(
      true,
    );
  });

  test.each<[keyof Checkpoint, unknown]>([
    ['bookId', ID],
    ['mode', 'test'],
    ['treeSize', 5_000_001n],
    ['rootHash', Buffer.alloc(32)],
    ['chainHash', Buffer.alloc(32)],
    ['eventTreeSize', 8n],
    ['eventRootHash', Buffer.alloc(32)],
    ['createdAt', 0],
    ['publicKey', SEED],
    ['signature', Buffer.alloc(64)],
  ])('with another %s does not verify', (name, value) => {
    expect(isWellSigned(checkpoint())).toBe(true);
    expect(isWellSigned(checkpoint({ [name]: value }))).toBe(false);
  });
});

test('an event is hashed as a general canonicaliser writes it', () => {
  const text = fc.string({ unit: 'grapheme' });
  fc.assert(
    fc.property(text, text, text, fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }), (type, actor, payload, sequence) => {
      const facts = { sequence, id: ID, type, objectId: ID, requestId: BOOK, actor, createdAt: 0, payload };
      const event = { ...facts, textReferences: null, leaf: null };
      const canonical = canonicalize({
        ...{ type, actor, payload, id: ID, object_id: ID, request_id: BOOK, book_id: BOOK },
        sequence: `${sequence}`,
        created_at: '1970-01-01T00:00:00.000Z',
      });
      expect(eventText(BOOK, event)).toBe(canonical);
      expect(eventDigest(BOOK, event)).toEqual(createHash('sha256').update(canonical).digest());
    }),
  );
});

describe('a file', () => {
  const view = checkpointView(checkpoint());
  const lines = [view, view].map((each) => JSON.stringify(each)).join('\n');

  test.each([
    ['one object', JSON.stringify(view, null, 2), 1],
    ['an object a line', `${lines}\n`, 2],
    ['a list of the API', JSON.stringify({ object: 'list', data: [view, view, view] }), 3],
  ])('of checkpoints may hold %s', (_, text, count) => {
    expect(readCheckpoints(text)).toEqual(Array.from({ length: count }, () => view));
  });

  const path = ['00'.repeat(32)];
  const inclusion = {
    object: 'inclusion_proof',
    hash: path[0],
    audit_path: path,
    leaf_index: 0,
    entry: {},
    checkpoint: view,
  };
  const consistency = { object: 'consistency_proof', entry_path: path, event_path: [], first: view, second: view };

  test('of proofs may hold both kinds', () => {
    expect(readProofs([inclusion, consistency].map((each) => JSON.stringify(each)).join('\n'))).toEqual([
      inclusion,
      consistency,
    ]);
  });

  test.each<[what: string, value: unknown]>([
    ['nothing', ''],
    ['no JSON', 'checkpoint'],
    ['a number', '7'],
    ['an empty list', { object: 'list', data: [] }],
    ['another object', { object: 'payout' }],
    ['a list of another', { object: 'list', data: [null] }],
    ['a note of another kind', { ...view, note: { ...view.note, type: 'other' } }],
    ['a root that is none', { ...view, note: { ...view.note, root_hash: '01' } }],
    ['a size that is none', { ...view, note: { ...view.note, tree_size: -1 } }],
    ['no signature', { ...view, signature: undefined }],
  ])('of checkpoints with %s is refused', (_, value) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    expect(() => readCheckpoints(text)).toThrow(UnreadableProof);
  });

  test.each<[what: string, value: unknown]>([
    ['nothing', ''],
    ['a path of another form', { ...inclusion, audit_path: ['0'] }],
    ['a path that is none', { ...inclusion, audit_path: null }],
    ['a place that is none', { ...inclusion, leaf_index: 0.5 }],
    ['no entry', { ...inclusion, entry: null }],
    ['no checkpoint', { ...inclusion, checkpoint: undefined }],
    ['one checkpoint of two', { ...consistency, second: undefined }],
    ['something else', view],
  ])('of proofs with %s is refused', (_, value) => {
    expect(() => readProofs(typeof value === 'string' ? value : JSON.stringify(value))).toThrow(UnreadableProof);
  });
});
