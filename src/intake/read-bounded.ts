/** Files that an operator names. The size that a file states is not trusted: a device states 0 and never ends. */
import { closeSync, openSync, readSync } from 'node:fs';

/** The file has more than was allowed. */
export class FileTooLarge extends Error {
  override name = 'FileTooLarge';

  constructor(readonly limit: number) {
    super(`The file has more than ${limit} bytes.`);
  }
}

const PART_BYTES = 65_536;

/** All bytes of a file, device or pipe that has at most `limit` of them. Throws FileTooLarge, and the errors of the system. */
export function readBounded(file: string, limit: number): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const parts: Buffer[] = [];
    let bytes = 0;
    for (;;) {
      const part = Buffer.allocUnsafe(Math.min(PART_BYTES, limit + 1 - bytes));
      const read = readSync(descriptor, part, 0, part.length, null);
      if (read === 0) return Buffer.concat(parts, bytes);
      bytes += read;
      if (bytes > limit) throw new FileTooLarge(limit);
      parts.push(part.subarray(0, read));
    }
  } finally {
    closeSync(descriptor);
  }
}
