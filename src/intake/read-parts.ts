/** Files that are read as a stream, twice: first whether they are whole, then what is in them. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { BadInput } from './bad-input.ts';
import { FileTooLarge } from './read-bounded.ts';

/** A file that a command names (GET /v1/limits). */
const STREAMED_BYTES_MAX = 2 * 1024 * 1024 * 1024;
/** A part is kept as a row of its own: some kB are lost of each, and one is in memory at once. */
const PART_BYTES = 256 * 1024;

/**
 * The bytes of a file in parts, each of them a buffer of its own. Throws BadInput for what cannot be read again, such as a pipe,
 * FileTooLarge, and the errors of the system.
 */
export function* partsOf(file: string, { limit = STREAMED_BYTES_MAX }: { limit?: number } = {}): Generator<Buffer> {
  const descriptor = openSync(file, 'r');
  try {
    if (!fstatSync(descriptor).isFile())
      throw new BadInput(null, 'It is read twice, so it has to be a file: no pipe and no device.');
    for (let total = 0; ; ) {
      const part = Buffer.allocUnsafe(PART_BYTES);
      const bytes = readSync(descriptor, part, 0, PART_BYTES, null);
      if (bytes === 0) return;
      total += bytes;
      if (total > limit) throw new FileTooLarge(limit);
      yield part.subarray(0, bytes);
    }
  } finally {
    closeSync(descriptor);
  }
}
