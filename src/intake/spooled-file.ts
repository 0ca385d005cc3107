/**
 * Bytes that come once and are read again: what a client uploads, before it is known to be whole and by which SHA-256 it is kept. They stand in a
 * file that has no name any more, so nothing is left of it when the process dies, and under a key that only this process has.
 */
import { type Cipher, createCipheriv, createDecipheriv, randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeRandom } from '../values/random.ts';

/** Each file has a key of its own, so that its counter begins at zero. */
const ALGORITHM = 'aes-256-ctr';
const KEY_BYTES = 32;
const FIRST_COUNTER = Buffer.alloc(16);
/** What is read at once, and kept as one piece (sealed-file.ts). */
const PART_BYTES = 256 * 1024;

/** The disk of temporary files has no room, or this process may not write more. */
export class NoRoom extends Error {
  override name = 'NoRoom';
}

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

async function inRoom<Value>(step: () => Promise<Value>): Promise<Value> {
  try {
    return await step();
  } catch (error) {
    if (!FULL.has((error as NodeJS.ErrnoException).code)) throw error;
    throw new NoRoom('There is no room for a temporary file.', { cause: error });
  }
}

export class SpooledFile {
  readonly #handle: FileHandle;
  readonly #key: Buffer;
  readonly #cipher: Cipher;
  #bytes = 0;

  private constructor(handle: FileHandle, key: Buffer) {
    this.#handle = handle;
    this.#key = key;
    this.#cipher = createCipheriv(ALGORITHM, key, FIRST_COUNTER);
  }

  /** Throws NoRoom, and other errors of the system. */
  static async open(): Promise<SpooledFile> {
    const path = join(tmpdir(), `countinghouse-upload-${randomUUID()}`);
    const handle = await inRoom(() => open(path, 'wx+', 0o600));
    await unlink(path);
    return new SpooledFile(handle, takeRandom(KEY_BYTES));
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Throws NoRoom. Nothing is written behind it. */
  async write(part: Buffer): Promise<void> {
    // All of it, behind what was written before: reading moves no position.
    await inRoom(() => this.#handle.writeFile(this.#cipher.update(part)));
    this.#bytes += part.length;
  }

  /** From the beginning, each time it is called. */
  async *parts(): AsyncGenerator<Buffer> {
    const decipher = createDecipheriv(ALGORITHM, this.#key, FIRST_COUNTER);
    for (let at = 0; at < this.#bytes; ) {
      const part = Buffer.allocUnsafe(Math.min(PART_BYTES, this.#bytes - at));
      const { bytesRead } = await this.#handle.read(part, 0, part.length, at);
      if (bytesRead === 0) throw new Error('A spooled file is shorter than what was written.');
      at += bytesRead;
      yield decipher.update(part.subarray(0, bytesRead));
    }
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
