/** `npm run clearing -- --again EXCEPTION`: a line of a clearing file that had been an exception is booked if it fits now. */
import { userInfo } from 'node:os';
import { BadInput } from '../src/intake/bad-input.ts';
import type { BookFileRuntime } from '../src/transactions/clearing-files/book-file.ts';
import { findHeldLine } from '../src/transactions/clearing-files/clearing-file-store.ts';
import { type TakenAgain as TakenLine, takeHeldLine } from '../src/transactions/clearing-files/take-again.ts';
import { encodeActor } from '../src/values/actor.ts';
import { parsePublicId, publicId } from '../src/values/ids.ts';
import type { TakenAgain } from './intake-command.ts';

/** Throws BadInput for what is no exception of a line. */
export async function takeLineAgain(
  runtime: BookFileRuntime,
  shownId: string,
  { by = userInfo().username }: { by?: string },
): Promise<TakenAgain> {
  const exceptionId = parsePublicId('exception', shownId);
  const found = exceptionId && (await findHeldLine(runtime.pool, exceptionId));
  if (!found) throw new BadInput(null, `There is no line of a clearing file with an exception ${shownId}.`);
  const { part, line } = found;
  const actor = encodeActor({ type: 'operator', name: by.slice(0, 100) });
  const taken = await takeHeldLine(runtime, found, actor);
  const { ok, result } = resultOf(taken);
  const { messageReference: message_reference, amount, currency } = line;
  const booked = taken.result === 'booked' ? amount : 0;
  return {
    shown: { ok, exception: shownId, book: publicId('book', part.ofBook), message_reference, currency, booked, result },
    text: `${message_reference}, ${amount} ${currency}: ${result}`,
  };
}

function resultOf(taken: TakenLine): { ok: boolean; result: string } {
  switch (taken.result) {
    case 'booked':
      return { ok: true, result: 'is booked, and its exception resolved.' };
    case 'known':
      return { ok: true, result: 'had been told by the same message, and its exception is resolved.' };
    case 'exception':
      return { ok: false, result: `is an exception still. ${taken.exception.detail}` };
    case 'handled': {
      const again = taken.status === 'explained' ? ' Assign the exception again, and the line can be taken.' : '';
      const what = `has an exception that is ${taken.status} by a person and waits for approval: nothing was booked.`;
      return { ok: false, result: `${what}${again}` };
    }
    default:
      return taken.isTaken
        ? { ok: true, result: 'had been taken, and nothing is booked twice.' }
        : { ok: false, result: 'was approved by people without this line: nothing was booked.' };
  }
}
