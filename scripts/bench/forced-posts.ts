/** A clearing file of forced posts, each of which makes a purchase and posts it, and the command that takes it in. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { BookId } from '../../src/ledger/book/book.ts';
import { SANDBOX_PROCESSOR } from '../../src/processors/processor-names.ts';
import { publicId } from '../../src/values/ids.ts';
import { CLEARING_HEADER, clearingFields, clearingRow, trailer } from '../harness/clearing-file.ts';
import { say } from '../harness/progress.ts';
import { CURRENCY } from './book.ts';
import { type MeasuredCommand, runMeasured } from './measured-command.ts';
import type { Stage } from './stage.ts';

const AMOUNT = 1_000n;

/** Written as it is made: a file of a million lines has 200 MB. */
export async function writeForcedPosts(
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

/** Throws where the command did not take all of it. */
export async function takeClearing(stage: Stage, file: string): Promise<MeasuredCommand> {
  const taken = await runMeasured(stage, ['clearing', file, '--processor', SANDBOX_PROCESSOR, '--mode', 'test']);
  if (taken.code !== 0) throw new Error(`The file was not taken in: ${taken.code}`);
  return taken;
}
