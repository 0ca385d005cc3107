/** Fingerprints that need no key of an installation: plain digests, the form that rows of early releases may still have. */
import { hash } from 'node:crypto';
import type { Fingerprints } from '../../src/idempotency/fingerprints.ts';

export const PLAIN_FINGERPRINTS: Fingerprints = {
  toStore: (digest) => digest,
  match: (stored, digest) => stored.equals(digest),
  digestOf: (text) => hash('sha256', text),
};
