/**
 * All faults of an upload as a file, for people: an answer has the first hundred. Kept in pieces while the upload is read, for a day, though no batch is
 * made. In the order in which they were found.
 */
import type { Pool } from '../../db/pool.ts';
import type { SealedPlace, SecretBox } from '../../db/secret-box.ts';
import type { Sweep, SweepContext } from '../../group/group.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Clock } from '../../values/clock.ts';
import { type CsvColumn, csvHeader, csvRow } from '../../values/csv-writing.ts';
import { newId, publicId, type Uuid } from '../../values/ids.ts';
import type { UploadFault } from './batch-faults.ts';
import { dropErrors, findErrors, insertErrors } from './upload-error-store.ts';
import { uploadErrors } from './upload-error-table.ts';

/** The path of an upload's errors. */
export const UPLOAD_ERRORS_PATH = '/v1/payouts/batches/errors';
const KEPT_MS = 24 * 60 * 60_000;
/** Faults of one piece: some hundred kilobytes at most. */
const PIECE_FAULTS = 500;
const PER_ROUND = 500;

const plain = (name: 'param' | 'code'): CsvColumn<UploadFault> => ({
  name,
  is: 'plain',
  read: (fault) => fault[name] ?? null,
});
const COLUMNS: readonly CsvColumn<UploadFault>[] = [
  plain('param'),
  plain('code'),
  { name: 'detail', is: 'text', read: ({ detail }) => detail },
];

interface Runtime {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly secretBox: SecretBox;
}

const placeOf = (bookId: BookId, rowId: Uuid): SealedPlace => ({
  ...{ bookId, table: uploadErrors.name, column: 'content_sealed', rowId },
});

export class UploadErrorsFile {
  readonly #runtime: Runtime;
  readonly #of: { readonly bookId: BookId; readonly batchId: Uuid };
  #faults: UploadFault[] = [];
  #pieces = 0;

  constructor(runtime: Runtime, of: { readonly bookId: BookId; readonly batchId: Uuid }) {
    this.#runtime = runtime;
    this.#of = of;
  }

  /** The path at which they are read. */
  get path(): string {
    return `${UPLOAD_ERRORS_PATH}/${publicId('payoutBatch', this.#of.batchId)}`;
  }

  async add(faults: readonly UploadFault[]): Promise<void> {
    this.#faults.push(...faults);
    while (this.#faults.length >= PIECE_FAULTS) await this.#keep(this.#faults.splice(0, PIECE_FAULTS));
  }

  async end(): Promise<void> {
    if (this.#faults.length > 0) await this.#keep(this.#faults.splice(0));
  }

  async #keep(faults: readonly UploadFault[]): Promise<void> {
    const { pool, clock, secretBox } = this.#runtime;
    const { bookId, batchId } = this.#of;
    const id = newId();
    const text = faults.map((fault) => csvRow(COLUMNS, fault)).join('');
    const contentSealed = secretBox.seal(text, placeOf(bookId, id));
    await insertErrors(pool, bookId, { id, batchId, place: ++this.#pieces, contentSealed, createdAt: clock.now() });
  }
}

/** Undefined where nothing is kept, or no longer. */
export async function readUploadErrors(
  { pool, secretBox }: Pick<Runtime, 'pool' | 'secretBox'>,
  of: { readonly bookId: BookId; readonly batchId: Uuid },
): Promise<AsyncGenerator<string> | undefined> {
  const { bookId, batchId } = of;
  const first = await findErrors(pool, bookId, { batchId, place: 1 });
  if (first === undefined) return undefined;
  return (async function* () {
    yield csvHeader(COLUMNS);
    for (let piece: typeof first | undefined = first; piece !== undefined; ) {
      yield secretBox.open(piece.contentSealed, placeOf(bookId, piece.id));
      piece = await findErrors(pool, bookId, { batchId, place: piece.place + 1 });
    }
  })();
}

export function sweepUploadErrors({ pool, clock }: Pick<SweepContext, 'pool' | 'clock'>): Sweep {
  return {
    name: 'errors of uploads',
    round: () => dropErrors(pool, { before: clock.now() - KEPT_MS, limit: PER_ROUND }),
  };
}
