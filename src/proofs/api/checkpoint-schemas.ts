/** Schemas of checkpoints and proofs, in the form that auditors keep as files. */
import { z } from 'zod';
import * as shown from '../../api/schemas/shown.ts';

const HASH = /^[0-9a-f]{64}$/;

const hash = (description: string) =>
  z
    .string()
    .refine((text) => HASH.test(text))
    .meta({ description, example: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' });

export const checkpoint = z
  .object({
    id: shown.id('checkpoint'),
    object: z.literal('checkpoint'),
    note: z
      .object({
        type: shown.oneOf(['countinghouse.checkpoint.v1'], { description: 'The form of the note.' }),
        book: shown.id('book'),
        mode: shown.oneOf(['test', 'live'], { description: 'Whether it is a test book.' }),
        tree_size: shown.count('Entries 1 to this one are the leaves of the tree.'),
        root_hash: hash('Root of the tree (RFC 6962) over the hashes of the entries.'),
        chain_hash: hash('The hash of the last entry.'),
        event_tree_size: shown.count('Events 1 to this one are the leaves of the second tree.'),
        event_root_hash: hash('Root of the tree over the events, each by the SHA-256 of its row in canonical JSON.'),
        created_at: shown.time('When it was signed, in wall time.'),
        key_id: z.string().meta({ description: '`ed25519:` and the SHA-256 of the public key: pin it.' }),
      })
      .meta({ id: 'CheckpointNote', description: 'What is signed: its canonical JSON (RFC 8785).' }),
    public_key: z.string().meta({ description: 'Ed25519, 32 bytes in base64.' }),
    signature: z.string().meta({ description: 'Ed25519 over the note, 64 bytes in base64.' }),
  })
  .meta({
    id: 'Checkpoint',
    description: 'A signed statement of what the journal was at a moment. Keep it elsewhere.',
  });

export const inclusionProof = z
  .object({
    object: z.literal('inclusion_proof'),
    journal_entry: shown.id('entry', 'The entry that is proved.'),
    entry: z.looseObject({}).meta({
      description:
        'Every column that is hashed, and the hash before. Its canonical JSON (RFC 8785) has the SHA-256 `hash`.',
    }),
    hash: hash('The hash of the entry.'),
    leaf_index: shown.count('Its place among the leaves, from 0.'),
    audit_path: z
      .array(hash('The hash of a node.'))
      .meta({ description: 'Hashes from the leaf to the root (RFC 6962, 2.1.1).' }),
    checkpoint,
  })
  .meta({
    id: 'InclusionProof',
    description: 'All that is needed to check offline that the entry is in the checkpoint.',
  });

export const consistencyProof = z
  .object({
    object: z.literal('consistency_proof'),
    first: checkpoint,
    second: checkpoint,
    entry_path: z
      .array(hash('The hash of a node.'))
      .meta({ description: 'Proves that the tree of entries was only added to (RFC 6962, 2.1.2).' }),
    event_path: z
      .array(hash('The hash of a node.'))
      .meta({ description: 'Proves that the tree of events was only added to (RFC 6962, 2.1.2).' }),
  })
  .meta({ id: 'ConsistencyProof', description: 'That between two checkpoints entries and events were only added.' });
