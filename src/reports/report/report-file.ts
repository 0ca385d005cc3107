/**
 * The file of a report while it is written. Whole pieces are stored as they fill; with them, and at least every few seconds, what the next
 * writer needs: a process that takes over goes on behind the last page that was kept.
 */
import { createHash } from 'node:crypto';
import type { Pool } from '../../db/pool.ts';
import type { SecretBox } from '../../db/secret-box.ts';
import { inTransaction } from '../../db/transaction.ts';
import { failpoint } from '../../process/failpoints.ts';
import type { Clock, Instant } from '../../values/clock.ts';
import { newId } from '../../values/ids.ts';
import type { WriterState } from '../figures/write-figures.ts';
import { newFileKey, PIECE_BYTES, PieceSeal, ReportDamaged } from './piece-seal.ts';
import { REPORT_LIMITS } from './report.ts';
import * as store from './report-file-store.ts';

/** For how long nobody else takes a file after its writer has kept something of it. */
const LEASE_MS = 15_000;
/** A writer keeps what it has at least this often. */
const KEEP_EVERY_MS = 3_000;

/** Another writer has the file, or it was dropped. */
export class FileLost extends Error {
  override name = 'FileLost';
}

/** The file has more bytes than a report may have. */
export class FileTooLong extends Error {
  override name = 'FileTooLong';

  constructor(
    message = `The file has more than ${REPORT_LIMITS.fileBytes} bytes. Ask for fewer days, an account or a currency.`,
  ) {
    super(message);
  }
}

/** Behind which page a writer goes on. */
export interface ReachedPage {
  /** Null once everything is written. */
  readonly next: string | null;
  readonly writer: WriterState;
}

export interface FileRuntime {
  readonly pool: Pool;
  readonly secretBox: SecretBox;
  readonly clock: Clock;
}

export class ReportFile {
  readonly #runtime: FileRuntime;
  readonly #place: store.FilePlace;
  readonly #holder = newId();
  readonly #sha256 = createHash('sha256');
  #seal: PieceSeal | undefined;
  #rest: Buffer = Buffer.alloc(0);
  #pieces = 0;
  #bytes = 0;
  #keptAt = 0;

  constructor(runtime: FileRuntime, place: store.FilePlace) {
    this.#runtime = runtime;
    this.#place = place;
  }

  /** Undefined while another writer has it. Answers with the page behind which it goes on; null for a new file. */
  async take(): Promise<ReachedPage | null | undefined> {
    const { pool, secretBox, clock } = this.#runtime;
    const keySealed = newFileKey(secretBox, this.#place);
    const by = { holder: this.#holder, keySealed, now: clock.now(), until: this.#until() };
    const taken = await store.takeFile(pool, this.#place, by);
    if (taken === undefined) return undefined;
    this.#seal = new PieceSeal(secretBox, this.#place, taken.keySealed);
    this.#keptAt = clock.now();
    if (taken.state === null) return null;
    const kept = readState(this.#seal.open('state', taken.state));
    for (; this.#pieces < taken.pieces; this.#pieces++) this.#count(await this.#piece(this.#pieces));
    this.#rest = kept.rest;
    this.#count(kept.rest);
    return kept;
  }

  /** Whether something should be kept, lest another writer takes the file. */
  get isDue(): boolean {
    return this.#runtime.clock.now() - this.#keptAt >= KEEP_EVERY_MS;
  }

  /** Adds the text of a page. Throws FileLost and FileTooLong. */
  async add(text: string | Buffer, reached: ReachedPage): Promise<void> {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    this.#count(bytes);
    this.#rest = Buffer.concat([this.#rest, bytes]);
    if (this.#bytes > REPORT_LIMITS.fileBytes) throw new FileTooLong();
    if (this.isDue || this.#rest.length >= PIECE_BYTES) await this.keep(reached);
  }

  /** Stores whole pieces, and what the next writer needs. Throws FileLost. */
  async keep(reached: ReachedPage): Promise<void> {
    const whole = Math.floor(this.#rest.length / PIECE_BYTES) * PIECE_BYTES;
    await this.#store(this.#rest.subarray(0, whole), reached);
  }

  /** Stores all of it, the last piece too. Answers with what it is. Throws FileLost. */
  async end(writer: WriterState): Promise<{ sha256: string; bytes: number }> {
    if (this.#rest.length > 0 || this.#pieces === 0) await this.#store(this.#rest, { next: null, writer });
    return { sha256: this.#sha256.digest('hex'), bytes: this.#bytes };
  }

  /** It is whole, and kept until then. Throws FileLost. */
  async close(expiresAt: Instant): Promise<void> {
    const { pool } = this.#runtime;
    if (!(await store.sealFile(pool, this.#place, { holder: this.#holder, expiresAt }))) throw new FileLost();
  }

  /** Another process may go on at once. */
  async leave(): Promise<void> {
    const { pool, clock } = this.#runtime;
    await store.leaveFile(pool, this.#place, { holder: this.#holder, now: clock.now() });
  }

  async #store(bytes: Buffer, reached: ReachedPage): Promise<void> {
    const { pool, clock } = this.#runtime;
    const rest = this.#rest.subarray(bytes.length);
    const first = this.#pieces;
    const pieces = first + Math.ceil(bytes.length / PIECE_BYTES);
    const written = {
      ...{ ...this.#place, holder: this.#holder, until: this.#until(), pieces, bytes: this.#bytes },
      ...{ rows: reached.writer.rows, state: this.#seal!.seal('state', writeState({ ...reached, rest })) },
    };
    await inTransaction(pool, async (trx) => {
      if (!(await store.extendFile(trx, written))) throw new FileLost();
      for (let place = first; place < pieces; place++) {
        const from = (place - first) * PIECE_BYTES;
        const sealed = this.#seal!.seal(place, bytes.subarray(from, from + PIECE_BYTES));
        await store.insertPiece(trx, this.#place, { place, sealed });
      }
    });
    this.#pieces = pieces;
    this.#rest = rest;
    this.#keptAt = clock.now();
    failpoint('report.page.kept');
  }

  #count(bytes: Buffer): void {
    this.#sha256.update(bytes);
    this.#bytes += bytes.length;
  }

  async #piece(place: number): Promise<Buffer> {
    const sealed = await store.findPiece(this.#runtime.pool, this.#place, place);
    if (sealed === undefined)
      throw new ReportDamaged(`Piece ${place} of the report ${this.#place.reportId} is missing.`);
    return this.#seal!.open(place, sealed);
  }

  #until(): Instant {
    return this.#runtime.clock.now() + LEASE_MS;
  }
}

interface KeptState extends ReachedPage {
  /** Bytes behind the last whole piece. */
  readonly rest: Buffer;
}

/** Sums travel as text: a parser of JSON would round them. */
function writeState({ next, writer, rest }: KeptState): Buffer {
  const totals = writer.totals.map(({ currency, debits, credits }) => [currency, String(debits), String(credits)]);
  return Buffer.from(JSON.stringify({ next, ...writer, totals, rest: rest.toString('base64') }));
}

function readState(bytes: Buffer): KeptState {
  const { next, rows, digest, totals, rest } = JSON.parse(bytes.toString());
  const sums = (totals as [string, string, string][]).map(([currency, debits, credits]) => ({
    ...{ currency, debits: BigInt(debits), credits: BigInt(credits) },
  }));
  return { next, writer: { rows, digest, totals: sums }, rest: Buffer.from(rest, 'base64') };
}
