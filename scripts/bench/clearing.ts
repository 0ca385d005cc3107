/**
 * Bench `clearing`: lines a second of a clearing file, booked by the command as an operator runs it, beside bare
 * INSERTs of the same rows; and how large the command gets, with ten times as many lines too (--only turns,large). The
 * lines are forced posts of a thousand cards: each makes a purchase, and posts it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPool, type Pool } from '../../src/db/pool.ts';
import type { BookId } from '../../src/ledger/book/book.ts';
import { LINES_PER_COMMAND } from '../../src/transactions/clearing-files/take-lines.ts';
import { publicId } from '../../src/values/ids.ts';
import { type BenchContext, type BenchResult, partsOf } from './bench.ts';
import { issueKey, openAccounts, openBook } from './book.ts';
import { type ProductProcess, startApiProcess } from './children.ts';
import { cardReferences, prepareCeiling } from './clearing-rows-store.ts';
import type { Closing } from './closing.ts';
import { takeClearing, writeForcedPosts } from './forced-posts.ts';
import type { MeasuredCommand } from './measured-command.ts';
import { writePrepared } from './prepared-rows-store.ts';
import { type Measured, takeTurns } from './slices.ts';
import { addDatabase, type Stage, setStage } from './stage.ts';
import { round } from './statistics.ts';
import { verifyLedger } from './verify.ts';

const CARDS = 1_000;
const CARDS_AT_ONCE = 16;
/** How many times as long the large file is. */
const LARGE = 10;
const BARS = { ratio: 0.25, peakMb: 250, largeMoreMb: 20 };
const PARTS = ['turns', 'large'];

export async function benchClearing(context: BenchContext): Promise<BenchResult> {
  const { closing, seconds, payouts: lines, profile } = context;
  const parts = partsOf(context, PARTS);
  const stage = await setStage(closing, { queue: 'postgres', profile });
  const bench = await Bench.open(stage, closing);
  const turns = parts.includes('turns') ? await bench.inTurns(lines, seconds) : undefined;
  const large = parts.includes('large') ? await bench.take(lines * LARGE) : undefined;
  await bench.stop();
  const checked = await verifyLedger(stage);
  return {
    versions: stage.versions,
    checked,
    fields: {
      lines,
      ...(turns && { lines_per_s: round(turns.linesPerSecond), ceiling_per_s: round(turns.ceilingPerSecond) }),
      ...(turns && { ratio: round(turns.ratio, 3), peak_mb: round(turns.peakMb) }),
      ...(large && { large_lines: lines * LARGE, seconds_of_large: round(large.seconds, 1) }),
      ...(large && { large_per_s: round((lines * LARGE) / large.seconds), peak_1m_mb: round(large.peakMb) }),
    },
    missed: missedBars(turns, large),
  };
}

interface Turns {
  readonly linesPerSecond: number;
  readonly ceilingPerSecond: number;
  readonly ratio: number;
  readonly peakMb: number;
}

function missedBars(turns: Turns | undefined, large: MeasuredCommand | undefined): string[] {
  const missed: string[] = [];
  if (turns !== undefined && turns.ratio < BARS.ratio)
    missed.push(`a file: ${round(turns.ratio, 3)} of the bare writes`);
  if (turns !== undefined && turns.peakMb > BARS.peakMb) missed.push(`the command had ${round(turns.peakMb)} MB`);
  if (turns !== undefined && large !== undefined && large.peakMb > turns.peakMb + BARS.largeMoreMb)
    missed.push(`the large file took ${round(large.peakMb - turns.peakMb)} MB more`);
  return missed;
}

class Bench {
  readonly #stage: Stage;
  /** Makes the cards. It rests while anything is measured. */
  readonly #api: ProductProcess;
  readonly #ceiling: Pool;
  readonly #folder: string;

  private constructor(stage: Stage, api: ProductProcess, { ceiling, folder }: { ceiling: Pool; folder: string }) {
    this.#stage = stage;
    this.#api = api;
    this.#ceiling = ceiling;
    this.#folder = folder;
  }

  static async open(stage: Stage, closing: Closing): Promise<Bench> {
    const api = await startApiProcess(stage);
    await addDatabase(stage, 'ceiling');
    const url = stage.postgres.urlFor('owner', 'ceiling');
    const ceiling = createPool({ url, name: 'ceiling', size: 2, log: stage.log });
    closing.add('connections of the owner', () => ceiling.end());
    const folder = mkdtempSync(join(tmpdir(), 'clearing-bench-'));
    closing.add('files', () => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
    return new Bench(stage, api, { ceiling, folder });
  }

  async stop(): Promise<void> {
    this.#api.resume();
    await this.#api.stop();
  }

  async inTurns(lines: number, seconds: number): Promise<Turns> {
    const peaks: number[] = [];
    let bookId: BookId = '';
    const taken = async (): Promise<Measured> => {
      const file = await this.take(lines);
      bookId = file.bookId;
      peaks.push(file.peakMb);
      return { count: lines, seconds: file.seconds };
    };
    const inserted = async (): Promise<Measured> => {
      const batches = Math.ceil(lines / LINES_PER_COMMAND);
      const tables = await prepareCeiling(this.#stage.pool, this.#ceiling, { bookId, batches });
      const began = performance.now();
      await writePrepared(this.#ceiling, tables, batches);
      return { count: lines, seconds: (performance.now() - began) / 1_000 };
    };
    const slices = [
      { name: 'file', run: taken },
      { name: 'ceiling', run: inserted },
    ];
    const { rate, ratio } = await takeTurns(slices, seconds, { warmUpRounds: 0 });
    return {
      linesPerSecond: rate('file'),
      ceilingPerSecond: rate('ceiling'),
      ratio: ratio('file', 'ceiling'),
      peakMb: Math.max(...peaks),
    };
  }

  /** A file of a book of its own. */
  async take(lines: number): Promise<MeasuredCommand & { readonly bookId: BookId }> {
    this.#api.resume();
    const bookId = await bookWithCards(this.#stage, this.#api);
    const file = join(this.#folder, `${bookId}.csv`);
    await writeForcedPosts(file, { lines, bookId, cards: await cardReferences(this.#stage.pool, bookId) });
    this.#api.pause();
    return { ...(await takeClearing(this.#stage, file)), bookId };
  }
}

async function bookWithCards(stage: Stage, api: ProductProcess): Promise<BookId> {
  const bookId = await openBook(stage.pool, 'Clearing');
  const accounts = await openAccounts(stage.pool, bookId, { count: CARDS });
  const key = await issueKey(stage.pool, bookId, { writesPerSecond: 1_000_000 });
  let next = 0;
  const make = async () => {
    for (let at = next++; at < CARDS; at = next++) {
      const body = {
        type: 'virtual',
        account: publicId('account', accounts[at]!),
        cardholder: { name: 'Ada Lovelace' },
      };
      const answer = await fetch(`${api.url}/v1/cards`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (answer.status !== 201) throw new Error(`A card was not made: ${answer.status} ${await answer.text()}`);
      await answer.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: CARDS_AT_ONCE }, make));
  return bookId;
}
