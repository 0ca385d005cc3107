/**
 * Sealed pieces of a report's file, under a key of the file, which the installation's encryption key seals. A piece is AES-256-GCM: nonce (12
 * bytes), tag (16 bytes), ciphertext. Nonces are random: a writer that goes on may seal a place again. Authenticated with the bytes: book,
 * report and place.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { SealedPlace, SecretBox } from '../../db/secret-box.ts';
import { takeRandom } from '../../values/random.ts';
import type { FilePlace } from './report-file-store.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_END = NONCE_BYTES + 16;

/** The pieces of a file are as long as this, but the last. */
export const PIECE_BYTES = 1024 * 1024;

/** Where the key of a file is sealed for. */
export function reportKeyPlace({ bookId, id }: { bookId: string; id: string }): SealedPlace {
  return { bookId, table: 'report_files', column: 'key_sealed', rowId: id };
}

/** The number of a piece, from 0, or what a writer leaves for the next one. */
export type PiecePlace = number | 'state';

/** The bytes of a file are not those that were written. */
export class ReportDamaged extends Error {
  override name = 'ReportDamaged';
}

export function newFileKey(secretBox: SecretBox, { bookId, reportId }: FilePlace): Buffer {
  return secretBox.seal(takeRandom(KEY_BYTES).toString('base64'), reportKeyPlace({ bookId, id: reportId }));
}

export class PieceSeal {
  readonly #key: Buffer;
  readonly #file: FilePlace;

  /** Throws SecretBoxError where the key does not open. */
  constructor(secretBox: SecretBox, file: FilePlace, keySealed: Buffer) {
    const { bookId, reportId } = file;
    this.#file = file;
    this.#key = Buffer.from(secretBox.open(keySealed, reportKeyPlace({ bookId, id: reportId })), 'base64');
  }

  seal(place: PiecePlace, bytes: Buffer): Buffer {
    const nonce = Buffer.from(takeRandom(NONCE_BYTES));
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce).setAAD(this.#boundTo(place));
    const sealed = [cipher.update(bytes), cipher.final()];
    return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]);
  }

  /** Throws ReportDamaged. */
  open(place: PiecePlace, sealed: Buffer): Buffer {
    try {
      const decipher = createDecipheriv(ALGORITHM, this.#key, sealed.subarray(0, NONCE_BYTES))
        .setAAD(this.#boundTo(place))
        .setAuthTag(sealed.subarray(NONCE_BYTES, TAG_END));
      return Buffer.concat([decipher.update(sealed.subarray(TAG_END)), decipher.final()]);
    } catch (cause) {
      throw new ReportDamaged(`Piece ${place} of the report ${this.#file.reportId} was changed.`, { cause });
    }
  }

  #boundTo(place: PiecePlace): Buffer {
    const { bookId, reportId } = this.#file;
    return Buffer.from(JSON.stringify([bookId, reportId, place]));
  }
}
