/**
 * Bench `clearing`: lines a second of a clearing file, taken in by the command as an operator runs it, beside the rows that it writes by bare
 * INSERT; and how large the command gets. The lines are forced posts of a thousand cards: each makes a purchase, and posts it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPool } from '../../src/db/pool.ts';
import type { BookId } from '../../src/ledger/book.ts';
import { LINES_PER_COMMAND } from '../../src/transactions/clearing-files/take-lines.ts';
import { publicId } from '../../src/values/ids.ts';
import type { BenchContext, BenchResult } from './bench.ts';
import { issueKey, openAccounts, openBook } from './book.ts';
import { type ProductProcess, startApiProcess } from './children.ts';
import { cardReferences, prepareCeiling } from './clearing-rows-store.ts';
import { takeClearing, writeForcedPosts } from './forced-posts.ts';
import { writePrepared } from './prepared-rows-store.ts';
import { type Measured, takeTurns } from './slices.ts';
import { addDatabase, type Stage, setStage } from './stage.ts';
import { round } from './statistics.ts';
import { verifyLedger } from './verify.ts';

const CARDS = 1_000;
const CARDS_AT_ONCE = 16;
/** How many times as long the large file is, and how much more of memory it may take. */
const LARGE = 10;
const LARGE_MORE_MB = 20;
const PARTS = ['turns', 'large'];

export async function benchClearing({ closing, seconds, payouts: lines, profile }: BenchContext): Promise<BenchResult> {
  const stage = await setStage(closing, { queue: 'postgres', profile });
  const api = await startApiProcess(stage);
  await addDatabase(stage, 'ceiling');
  const ceiling = createPool({
    url: stage.postgres.urlFor('owner', 'ceiling'),
    name: 'ceiling',
    size: 2,
    log: stage.log,
  });
  closing.add('connections of the owner', () => ceiling.end());
  const folder = mkdtempSync(join(tmpdir(), 'clearing-bench-'));
  closing.add('files', () => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
  const peaks: number[] = [];
  let bookId: BookId = '';
  const taken = async (): Promise<Measured> => {
    api.resume();
    bookId = await bookWithCards(stage, api);
    const file = join(folder, `${bookId}.csv`);
    await writeFile(file, { lines, bookId, cards: await cardReferences(stage.pool, bookId) });
    api.pause();
    const began = performance.now();
    peaks.push(await takeIn(stage, file));
    return { count: lines, seconds: (performance.now() - began) / 1_000 };
  };
  const inserted = async (): Promise<Measured> => {
    const tables = await prepareCeiling(stage.pool, ceiling, { bookId, batches: batchesOf(lines) });
    const began = performance.now();
    await writePrepared(ceiling, tables, batchesOf(lines));
    return { count: lines, seconds: (performance.now() - began) / 1_000 };
  };
  const slices = [
    { name: 'file', run: taken },
    { name: 'ceiling', run: inserted },
  ];
  const { rate, ratio } = await takeTurns(slices, seconds, { warmUpRounds: 0 });
  api.resume();
  await api.stop();
  const checked = await verifyLedger(stage);
  return {
    versions: stage.versions,
    checked,
    fields: {
      lines,
      lines_per_s: round(rate('file')),
      ceiling_per_s: round(rate('ceiling')),
      ratio: round(ratio('file', 'ceiling'), 3),
      peak_mb: round(Math.max(...peaks)),
    },
  };
}

const batchesOf = (lines: number) => Math.ceil(lines / LINES_PER_COMMAND);

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
