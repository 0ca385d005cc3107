/** Which reader reads a file: known by its first bytes, since names of files state nothing. */
import { BadInput } from '../../intake/bad-input.ts';
import type { BankFileReader, BankFormat } from './bank-file.ts';
import { Bai2Reader } from './read-bai2.ts';
import { CamtReader } from './read-camt.ts';
import { type CsvProfile, CsvStatementReader } from './read-csv.ts';
import { SwiftReader } from './read-swift.ts';

/** As much of a file as shows its format. */
const HEAD_BYTES = 4_096;

export type FileFormat = 'camt' | 'MT' | 'BAI2' | 'CSV';

/** Its first bytes show no format: it may be a CSV, which nothing in a file shows. */
export class FormatUnknown extends BadInput {
  override name = 'FormatUnknown';
}

/** Reads whatever format it is. `profile`: of a CSV, which nothing in the file shows. */
export class AnyReader implements BankFileReader {
  readonly #profile: CsvProfile | undefined;
  #reader: BankFileReader | undefined;
  #format: FileFormat | undefined;
  #head: Buffer = Buffer.alloc(0);

  constructor(profile?: CsvProfile) {
    this.#profile = profile;
  }

  /** Undefined before the first bytes. */
  get format(): FileFormat | undefined {
    return this.#format;
  }

  push(bytes: Buffer) {
    if (this.#reader !== undefined) return this.#reader.push(bytes);
    this.#head = Buffer.concat([this.#head, bytes]);
    return this.#head.length < HEAD_BYTES ? [] : this.#begin();
  }

  end() {
    const first = this.#reader === undefined ? this.#begin() : [];
    return [...first, ...this.#reader!.end()];
  }

  #begin() {
    const head = this.#head;
    this.#head = Buffer.alloc(0);
    if (head.length === 0) throw new BadInput(null, 'The file is empty.');
    this.#format = this.#profile === undefined ? formatOf(head) : 'CSV';
    this.#reader = this.#profile === undefined ? readerOf(this.#format) : new CsvStatementReader(this.#profile);
    return this.#reader.push(head);
  }
}

function formatOf(head: Buffer): FileFormat {
  const text = head
    .subarray(0, HEAD_BYTES)
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '');
  if (/^\s*</.test(text)) return 'camt';
  if (/^\s*01,/.test(text)) return 'BAI2';
  if (/^:(20|25|60F|60M):/m.test(text)) return 'MT';
  throw new FormatUnknown(null, 'It is no camt.052 to .054, MT940, MT942 or BAI2. A CSV needs --profile NAME.');
}

function readerOf(format: FileFormat): BankFileReader {
  switch (format) {
    case 'camt':
      return new CamtReader();
    case 'BAI2':
      return new Bai2Reader();
    default:
      return new SwiftReader();
  }
}

/** The format as the API names it: within a family, the kind of message shows which. */
export function formatName(format: FileFormat, kind: 'statement' | 'report' | 'notification' | undefined): BankFormat {
  if (format === 'camt') return kind === 'report' ? 'camt.052' : kind === 'notification' ? 'camt.054' : 'camt.053';
  if (format === 'MT') return kind === 'report' ? 'MT942' : 'MT940';
  return format;
}
