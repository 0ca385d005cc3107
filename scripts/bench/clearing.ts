/**
 * Bench `clearing`: lines a second of a clearing file, taken in by the command as an operator runs it, beside the rows that it writes by bare
 * INSERT; and how large the command gets. The lines are forced posts of a thousand cards: each makes a purchase, and posts it.
 */
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPool } from '../../src/db/pool.ts';
import type { BookId } from '../../src/ledger/book.ts';
import { SANDBOX_PROCESSOR } from '../../src/processors/processor-names.ts';
import { LINES_PER_COMMAND } from '../../src/transactions/clearing-files/take-lines.ts';
import { publicId } from '../../src/values/ids.ts';
import { CLEARING_HEADER, clearingFields, clearingRow, trailer } from '../harness/clearing-file.ts';
import { say } from '../harness/progress.ts';
import type { BenchContext, BenchResult } from './bench.ts';
import { CURRENCY, issueKey, openAccounts, openBook } from './book.ts';
import { type ProductProcess, startApiProcess } from './children.ts';
import { cardReferences, prepareCeiling } from './clearing-rows-store.ts';
import { runMeasured } from './measured-command.ts';
import { writePrepared } from './prepared-rows-store.ts';
import { type Measured, takeTurns } from './slices.ts';
import { addDatabase, type Stage, setStage } from './stage.ts';
import { round } from './statistics.ts';
import { verifyLedger } from './verify.ts';

const CARDS = 1_000;
const CARDS_AT_ONCE = 16;
const AMOUNT = 1_000n;

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

/** Written as it is made: a file of a million lines has 200 MB. */
async function writeFile(
  file: string,
  { lines, bookId, cards }: { lines: number; bookId: BookId; cards: readonly string[] },
): Promise<void> {
  say(`a file of ${lines} lines`);
  const stream = createWriteStream(file);
  const write = async (text: string) => {
    if (!stream.write(text)) await once(stream, 'drain');
  };
  await write(CLEARING_HEADER);
  const of = {
    program: publicId('book', bookId),
    currency: CURRENCY,
    amount: AMOUNT,
    business_date: '2026-03-31',
    interchange: -12,
  };
  for (let at = 0; at < lines; at++) {
    const named = { message_reference: `CLR-20260331-${at}`, network_reference: `NET-20260331-${at}` };
    await write(clearingRow(clearingFields({ ...of, ...named, card: cards[at % cards.length]! })));
  }
  await write(trailer(CURRENCY, { count: lines, sum: AMOUNT * BigInt(lines) }));
  stream.end();
  await once(stream, 'finish');
}

/** Runs the command. Resolves to how many megabytes it had at most. */
async function takeIn(stage: Stage, file: string): Promise<number> {
  const { code, peakMb } = await runMeasured(stage, [
    'clearing',
    ...[file, '--processor', SANDBOX_PROCESSOR, '--mode', 'test'],
  ]);
  if (code !== 0) throw new Error(`The file was not taken in: ${code}`);
  return peakMb;
}
