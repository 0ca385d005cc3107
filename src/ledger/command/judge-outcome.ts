/** What a command brings, judged before it is an outcome (rows/judged-texts.ts). */

import type { Entry } from '../entry/entry.ts';
import { entryTexts } from '../journal/journal-tables.ts';
import { holdsText, refuseCardNumbers } from '../rows/judged-texts.ts';
import type { LogAppend, RowChange } from './command.ts';
import type { BookState } from './state.ts';

interface Brought {
  readonly rows: readonly RowChange[];
  readonly appends: readonly LogAppend[];
  readonly entries: readonly Entry[];
}

/** Throws CardNumberWritten where a text that is new has a card number that nothing refused. */
export function judgeOutcome(state: BookState, { rows, appends, entries }: Brought): void {
  const holds = (text: string) => state.someRow((row) => holdsText(row, text));
  for (const { table, id, row } of rows) refuseCardNumbers(table, row, { before: state.known(table, id), holds });
  for (const { log, row } of appends) refuseCardNumbers(log, row, { holds });
  for (const entry of entries) if (entry.text !== null) refuseCardNumbers(entryTexts, entry, { holds });
}
