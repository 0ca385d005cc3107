/**
 * Files from outside, kept once and sealed: piece by piece, so that no file is in memory whole. Each file has a key of its own, which the
 * installation's encryption key seals. So a rotation of that key touches one value a file, however long the file is
 * (docs/decisions/sealed-files.md).
 *
 * A piece is AES-256-GCM: tag (16 bytes), ciphertext. A key seals each place once, so the nonce is the place. Authenticated with the bytes:
 * book, file and place. That no piece is missing, the SHA-256 of the whole shows.
 */
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import type { Pool, Queryable, Transaction } from '../db/pool.ts';
import { obstacleOf } from '../db/postgres-errors.ts';
import type { SealedPlace, SecretBox } from '../db/secret-box.ts';
import { inTransaction } from '../db/transaction.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { Instant } from '../values/clock.ts';
import { takeRandom } from '../values/random.ts';
import { BadInput } from './bad-input.ts';
import { findFile, findPiece, type IntakeFile, insertFile, insertPiece } from './intake-file-store.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Where a file is kept. */
interface KeptPlace {
  readonly bookId: BookId;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** Where the key of a file is sealed for. */
export function fileKeyPlace({ bookId, id }: { bookId: BookId; id: string }): SealedPlace {
  return { bookId, table: 'intake_files', column: 'key_sealed', rowId: id };
}

/** A file that is being kept, in the transaction that keeps it. */
export interface FileKeeper {
  /** Seals the next piece of its bytes, and inserts it. */
  push(bytes: Buffer): Promise<void>;
  /** Throws BadInput where the pieces do not have its SHA-256. */
  end(): void;
}

/** Each attempt waits `lock_timeout` (5 s) for whoever keeps the same file: a minute in all, far longer than the largest file takes. */
const ATTEMPTS_MAX = 12;

/** A transaction that keeps a file, and what goes with it. It waits while another process keeps the same file, and then finds it kept. */
export async function inKeepingTransaction<Kept>(pool: Pool, work: (trx: Transaction) => Promise<Kept>): Promise<Kept> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await inTransaction(pool, work);
    } catch (error) {
      if (obstacleOf(error) !== 'lock' || attempts === ATTEMPTS_MAX) throw error;
    }
  }
}

/** Undefined where the same bytes are kept already. */
export async function keepFile(
  trx: Transaction,
  secretBox: SecretBox,
  { bookId, now, ...file }: Omit<IntakeFile, 'keySealed'> & { readonly bookId: BookId; readonly now: Instant },
): Promise<FileKeeper | undefined> {
  const { sha256 } = file;
  const key = takeRandom(KEY_BYTES);
  const keySealed = secretBox.seal(key.toString('base64'), fileKeyPlace({ bookId, id: sha256 }));
  if (!(await insertFile(trx, bookId, { ...file, keySealed }, now))) return undefined;
  const digest = createHash('sha256');
  let place = 0;
  return {
    async push(bytes) {
      digest.update(bytes);
      place += 1;
      await insertPiece(trx, bookId, { sha256, place, sealed: sealPiece(key, { bookId, sha256, place }, bytes) });
    },
    end() {
      if (digest.digest('hex') !== sha256) throw new BadInput(null, 'The file has changed while it was read.');
    },
  };
}

/** The bytes of a kept file are not those that came. */
export class FileDamaged extends Error {
  override name = 'FileDamaged';
}

/**
 * The bytes of a kept file, piece by piece; undefined for a file that is not kept. Throws SecretBoxError where its key does not open, and
 * FileDamaged for a piece that was changed or is missing: what came before it was given already.
 */
export async function openFile(
  db: Queryable,
  secretBox: SecretBox,
  { bookId, sha256 }: KeptPlace,
): Promise<AsyncGenerator<Buffer> | undefined> {
  const file = await findFile(db, bookId, sha256);
  if (file === undefined) return undefined;
  const key = Buffer.from(secretBox.open(file.keySealed, fileKeyPlace({ bookId, id: sha256 })), 'base64');
  return pieces(db, key, { bookId, sha256 });
}

async function* pieces(db: Queryable, key: Buffer, { bookId, sha256 }: KeptPlace): AsyncGenerator<Buffer> {
  const digest = createHash('sha256');
  for (let place = 1; ; place++) {
    const sealed = await findPiece(db, bookId, { sha256, place });
    if (sealed === undefined) break;
    const bytes = openPiece(key, { bookId, sha256, place }, sealed);
    digest.update(bytes);
    yield bytes;
  }
  if (digest.digest('hex') !== sha256) throw new FileDamaged(`Pieces of the file ${sha256} are missing.`);
}

interface PiecePlace extends KeptPlace {
  readonly place: number;
}

function sealPiece(key: Buffer, at: PiecePlace, bytes: Buffer): Buffer {
  const options = { authTagLength: TAG_BYTES };
  const cipher = createCipheriv(ALGORITHM, key, nonceOf(at), options).setAAD(boundTo(at));
  const sealed = [cipher.update(bytes), cipher.final()];
  return Buffer.concat([cipher.getAuthTag(), ...sealed]);
}

function openPiece(key: Buffer, at: PiecePlace, sealed: Buffer): Buffer {
  try {
    const decipher = createDecipheriv(ALGORITHM, key, nonceOf(at), { authTagLength: TAG_BYTES })
      .setAAD(boundTo(at))
      .setAuthTag(sealed.subarray(0, TAG_BYTES));
    return Buffer.concat([decipher.update(sealed.subarray(TAG_BYTES)), decipher.final()]);
  } catch (cause) {
    throw new FileDamaged(`Piece ${at.place} of the file ${at.sha256} was changed.`, { cause });
  }
}

function nonceOf({ place }: PiecePlace): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUInt32BE(place, NONCE_BYTES - 4);
  return nonce;
}

const boundTo = ({ bookId, sha256, place }: PiecePlace) => Buffer.from(JSON.stringify([bookId, sha256, place]));
