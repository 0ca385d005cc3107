/** The folder of a pack on its way: written beside its place, and moved there once all of it is on disk. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync, readdirSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { BadInput } from '../intake/bad-input.ts';
import { readBounded } from '../intake/read-bounded.ts';
import { MANIFEST, type Manifest, manifestFrom, type PackedFile, UnreadablePack } from './pack.ts';

export type Push = (text: string | Buffer) => Promise<void>;

export class PackFolder {
  readonly files: PackedFile[] = [];
  readonly #folder: string;
  readonly #part: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#part = `${folder}.part`;
  }

  /** What a run that was killed has left is taken away. Throws BadInput where the folder cannot be made. */
  static async begin(folder: string): Promise<PackFolder> {
    const made = new PackFolder(resolve(folder));
    try {
      await rm(made.#part, { recursive: true, force: true });
      await mkdir(made.#part, { recursive: true });
    } catch (error) {
      throw new BadInput(null, `The pack cannot be written: ${(error as Error).message}.`);
    }
    return made;
  }

  async write<Result>(name: string, work: (push: Push) => Promise<Result>): Promise<Result> {
    const stream = createWriteStream(join(this.#part, name), { flush: true });
    const sha256 = createHash('sha256');
    let bytes = 0;
    let failed: Error | undefined;
    stream.on('error', (error) => {
      failed = error;
    });
    const result = await work(async (text) => {
      if (failed) throw failed;
      const piece = typeof text === 'string' ? Buffer.from(text) : text;
      sha256.update(piece);
      bytes += piece.length;
      if (!stream.write(piece)) await once(stream, 'drain');
    });
    stream.end();
    if (!stream.closed) await once(stream, 'close');
    if (failed) throw failed;
    this.files.push({ name, bytes, sha256: sha256.digest('hex') });
    return result;
  }

  copy(name: string, bytes: Buffer): Promise<void> {
    return this.write(name, (push) => push(bytes));
  }

  /** The manifest last: a folder with one is whole. Answers the SHA-256 of the manifest. */
  async finish(manifest: string): Promise<string> {
    await this.write(MANIFEST, (push) => push(manifest));
    const handle = await open(this.#part, 'r');
    await handle.sync().finally(() => handle.close());
    await rename(this.#part, this.#folder);
    const above = await open(dirname(this.#folder), 'r');
    await above.sync().finally(() => above.close());
    return this.files.at(-1)!.sha256;
  }

  async abandon(): Promise<void> {
    await rm(this.#part, { recursive: true, force: true });
  }
}

const MANIFEST_BYTES_MAX = 1024 * 1024;
/** As long as a file of CSV may be (intake/csv.ts). */
const TABLE_BYTES_MAX = 64 * 1024 * 1024;

export interface ReadPack {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly manifestSha256: string;
}

/** Throws UnreadablePack. */
export function readPack(folder: string): ReadPack {
  const bytes = bytesOf(folder, MANIFEST, MANIFEST_BYTES_MAX);
  return {
    folder,
    manifest: manifestFrom(bytes.toString('utf8')),
    manifestSha256: createHash('sha256').update(bytes).digest('hex'),
  };
}

/** All of a file. Throws UnreadablePack. */
export function bytesOf(folder: string, name: string, limit = TABLE_BYTES_MAX): Buffer {
  try {
    return readBounded(join(folder, name), limit);
  } catch (error) {
    throw new UnreadablePack(`${join(folder, name)} cannot be read: ${(error as Error).message}`);
  }
}

/** Names of all that is there, sorted. Empty where the folder is not there. */
export function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

/** The bytes and the SHA-256 of a file; undefined where it is not there. */
export async function measure(folder: string, name: string): Promise<Omit<PackedFile, 'name'> | undefined> {
  const sha256 = createHash('sha256');
  let bytes = 0;
  try {
    for await (const piece of createReadStream(join(folder, name)) as AsyncIterable<Buffer>) {
      sha256.update(piece);
      bytes += piece.length;
    }
  } catch {
    return undefined;
  }
  return { bytes, sha256: sha256.digest('hex') };
}

/** Longer than any entry of 100 postings. */
const LINE_MAX = 1024 * 1024;

/** Lines of a file, as bytes. A line that is too long is given as far as it was read, and is the last. */
export async function* linesOf(folder: string, name: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of createReadStream(join(folder, name)) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = piece.indexOf(LF); at !== -1; at = piece.indexOf(LF, from)) {
      yield rest.length === 0 ? piece.subarray(from, at) : Buffer.concat([rest, piece.subarray(from, at)]);
      rest = Buffer.alloc(0);
      from = at + 1;
    }
    rest = Buffer.concat([rest, piece.subarray(from)]);
    if (rest.length > LINE_MAX) break;
  }
  if (rest.length > 0) yield rest;
}

const LF = 10;
