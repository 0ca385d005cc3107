/** What is read twice: first whether it is whole, then what is in it. */
import { createHash, type Hash } from 'node:crypto';
import { partsOf } from './read-parts.ts';

/** Its bytes in parts, from the beginning, each time it is called. */
export type ReadAgain = () => Iterable<Buffer>;

/** The same of bytes that are fetched as they are read. */
export type ReadParts = () => Iterable<Buffer> | AsyncIterable<Buffer>;

/** A file that a command names. Throws as partsOf does. */
export const fileAgain =
  (file: string): ReadAgain =>
  () =>
    partsOf(file);

/** Gives each part to `onPart` before it is read. */
export function* tapped(parts: Iterable<Buffer>, onPart: (part: Buffer) => void): Generator<Buffer> {
  for (const part of parts) {
    onPart(part);
    yield part;
  }
}

/** Adds each part to the digest. */
export const hashed = (parts: Iterable<Buffer>, digest: Hash) => tapped(parts, (part) => digest.update(part));

export const newDigest = () => createHash('sha256');
