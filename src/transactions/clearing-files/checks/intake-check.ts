/**
 * Checks what a book has taken of clearing files: each line is a message of its purchase that states the same, or an exception. What a
 * message has booked is compared by the check of purchases.
 */
import type { CheckContext } from '../../../group/check-context.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { behindNewIds } from '../../../group/until.ts';
import { matchesLine } from '../message-of-line.ts';
import { type IntakePlace, readTakenLines, type TakenLineHistory } from './intake-check-store.ts';

export const clearingIntakeCheck: RowCheck<TakenLineHistory, IntakePlace> = {
  name: 'lines of clearing files',
  mayBeShort: true,
  pageRows: 500,
  read: ({ pool, book }, page) => readTakenLines(pool, book.id, page),
  readSince: ({ pool, book }, page) => readTakenLines(pool, book.id, page),
  check: checkLine,
  placeOf: ({ intake, place }, until) => {
    const intakeId = behindNewIds(intake.id, until);
    return { intakeId, place: intakeId === intake.id ? place : 0 };
  },
};

function checkLine({ report }: CheckContext, history: TakenLineHistory): void {
  const { intake, place, line, messages, hasException } = history;
  const ids = { clearing_intake: intake.id, place: String(place) };
  if (line === undefined) {
    report({
      check: 'clearing_intake.lines',
      ids,
      expected: 'a line',
      actual: 'no line',
      detail: 'A line was taken that the file does not have.',
    });
    return;
  }
  if (hasException) return;
  const message = messages.find(({ reference }) => reference === line.messageReference);
  if (message !== undefined && matchesLine(message, messages, line)) return;
  report({
    check: 'clearing_intake.booked',
    ids: { ...ids, message_reference: line.messageReference },
    expected: `${line.type} ${line.amount} ${line.currency}`,
    actual: message === undefined ? 'no message' : message.type,
    detail: 'A line was taken, and is neither a message of its purchase that states the same nor an exception.',
  });
}
