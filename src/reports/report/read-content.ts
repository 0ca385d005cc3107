/** The bytes of a report's file, or a range of them. */
import type { Queryable } from '../../db/pool.ts';
import type { SecretBox } from '../../db/secret-box.ts';
import { PIECE_BYTES, PieceSeal, ReportDamaged } from './piece-seal.ts';
import { type FilePlace, findFile, findPiece } from './report-file-store.ts';

/** Both included, from 0. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** Undefined where the file is not kept any more. Each piece is read when the one before was taken. */
export async function openContent(
  { pool, secretBox }: { readonly pool: Queryable; readonly secretBox: SecretBox },
  place: FilePlace,
  { first, last }: ByteRange,
): Promise<AsyncIterable<Buffer> | undefined> {
  const keySealed = await findFile(pool, place);
  if (keySealed === undefined) return undefined;
  return pieces(pool, { place, seal: new PieceSeal(secretBox, place, keySealed) }, { first, last });
}

async function* pieces(
  db: Queryable,
  { place, seal }: { readonly place: FilePlace; readonly seal: PieceSeal },
  { first, last }: ByteRange,
): AsyncGenerator<Buffer> {
  for (let at = Math.floor(first / PIECE_BYTES); at * PIECE_BYTES <= last; at++) {
    const sealed = await findPiece(db, place, at);
    if (sealed === undefined) throw new ReportDamaged(`Piece ${at} of the report ${place.reportId} is missing.`);
    const bytes = seal.open(at, sealed);
    const begins = at * PIECE_BYTES;
    yield bytes.subarray(Math.max(first - begins, 0), last + 1 - begins);
  }
}

/** The name of the unit is written in any case (14.1), and a list may have blanks and elements without anything in them (5.6.1). */
const RANGE = /^bytes=[\t ,]*(\d*)-(\d*)[\t ,]*$/i;

/**
 * The range that a request asks for (RFC 9110, 14.1.2). Undefined for what is no single range, or lies behind the end: then the whole file is
 * the answer, as the RFC allows.
 */
export function rangeOf(asked: string | undefined, bytes: number): ByteRange | undefined {
  const [, from = '', to = ''] = RANGE.exec(asked ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const first = from === '' ? Math.max(bytes - Number(to), 0) : Number(from);
  const last = from === '' || to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1);
  return first <= last && first < bytes ? { first, last } : undefined;
}
