/** Books a file of opening balances that two persons have approved. Killed anywhere and run again, it goes on, and books each line once. */
import { isEnded } from '../../exceptions/exception.ts';
import type { ExceptionOfBook } from '../../exceptions/open-exceptions-store.ts';
import { BadInput } from '../../intake/bad-input.ts';
import { openFile } from '../../intake/sealed-file.ts';
import { encodeActor } from '../../values/actor.ts';
import { idSequence, newId, publicId, type Uuid } from '../../values/ids.ts';
import { ABOUT_OPENINGS, type CustomerLine, checkOpenings, type OpeningRuntime } from './keep-openings.ts';
import { beginTransfers, endTransfers, findOpenings, type KeptOpenings } from './opening-file-store.ts';
import {
  LINES_PER_COMMAND,
  type PostedLine,
  type PostedOpenings,
  postOpenings,
  type RefusedLine,
} from './post-openings.ts';

export interface AppliedOpenings extends PostedOpenings {
  readonly openings: KeptOpenings;
}

const ACTOR = encodeActor({ type: 'system', part: 'opening' });

/** Throws BadInput where it is no exception about such a file, or not approved, and with the line for what changed since it was kept. */
export async function applyOpenings(
  runtime: OpeningRuntime,
  { bookId, exception }: ExceptionOfBook,
  onPosted: (done: number, lines: number) => void,
): Promise<AppliedOpenings> {
  const { pool, committer, clock } = runtime;
  const named = publicId('exception', exception.id);
  if (exception.kind !== ABOUT_OPENINGS.kind || exception.resource !== ABOUT_OPENINGS.resource)
    throw new BadInput(null, `${named} is not about a file of opening balances.`);
  if (!isEnded(exception))
    throw new BadInput(
      null,
      `${named} is ${exception.status}. One person explains it (POST /v1/exceptions/${named}/explain) and another one approves it; then it is applied.`,
    );
  const openings = (await findOpenings(pool, bookId, exception.resourceId))!;
  const { ofBook, id: openingId, lines: all } = openings;
  if (openings.appliedAt !== null) return { openings, posted: 0, known: all, refused: [] };
  const lines = await linesOf(runtime, { bookId, openings });
  const from = await beginTransfers(pool, bookId, openingId, newId());
  const refused: RefusedLine[] = [];
  let [posted, known] = [0, 0];
  for (const [part, some] of partsOf(lines).entries()) {
    const answer = await committer.submit(
      ofBook,
      postOpenings({ bookId: ofBook, openingId, lines: withIds(some, from, part), actor: ACTOR }),
    );
    posted += answer.posted;
    known += answer.known;
    refused.push(...answer.refused);
    onPosted(posted + known + refused.length, all);
  }
  if (refused.length === 0) await endTransfers(pool, bookId, openingId, clock.now());
  return { openings, posted, known, refused };
}

/** Those of the kept bytes. An account may have been closed since: the line is refused by its command, and the others are booked. */
async function linesOf(
  { pool, secretBox }: OpeningRuntime,
  { bookId, openings: { sha256, ofBook, transfersFrom } }: { bookId: string; openings: KeptOpenings },
): Promise<readonly CustomerLine[]> {
  const pieces = await openFile(pool, secretBox, { bookId, sha256 });
  if (pieces === undefined) throw new Error(`The file ${sha256} is not kept any more.`);
  const bytes: Buffer[] = [];
  for await (const piece of pieces) bytes.push(piece);
  const { booking } = await checkOpenings(pool, ofBook, Buffer.concat(bytes), {
    mayBeClosed: transfersFrom !== null,
  });
  return booking;
}

function partsOf(lines: readonly CustomerLine[]): CustomerLine[][] {
  const parts: CustomerLine[][] = [];
  for (let at = 0; at < lines.length; at += LINES_PER_COMMAND) parts.push(lines.slice(at, at + LINES_PER_COMMAND));
  return parts;
}

/** The same on every run. */
function withIds(lines: readonly CustomerLine[], from: Uuid, part: number): PostedLine[] {
  const nextId = idSequence(from, part);
  return lines.map(({ row, accountId, currency, amount }) => ({
    row,
    accountId,
    currency,
    amount,
    transferId: nextId(),
  }));
}
