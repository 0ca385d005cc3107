/**
 * Checks what was submitted to banks: each is one payout of its book, for its amount, over its rail. So no file has a
 * payment without a payout.
 */
import type { CheckContext } from '../../../group/check-context.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { type CheckedInstruction, readInstructions } from './bank-instruction-check-store.ts';

export const bankInstructionCheck: RowCheck<CheckedInstruction, string> = {
  name: 'payments of bank files',
  pageRows: 1_000,
  read: ({ pool, book }, page) => readInstructions(pool, book.id, page),
  check: checkInstruction,
  placeOf: ({ endToEndId }) => endToEndId,
};

function checkInstruction({ report }: CheckContext, instruction: CheckedInstruction): void {
  const { endToEndId, originator, payout } = instruction;
  if (originator === null) return;
  const ids = { bank_instruction: endToEndId };
  if (payout === null) {
    report({
      ...{ check: 'bank_instruction.payout', ids, expected: 'a payout', actual: 'none' },
      detail: `No payout of book ${originator} has the end-to-end id that was submitted to ${instruction.rail}.`,
    });
    return;
  }
  const [expected, actual] = [textOf(payout), textOf(instruction)];
  if (expected === actual) return;
  report({
    ...{ check: 'bank_instruction.terms', ids, expected, actual },
    detail: 'What was submitted to a bank is not what its payout is of.',
  });
}

const textOf = ({ rail, amount, currency }: Pick<CheckedInstruction, 'rail' | 'amount' | 'currency'>) =>
  `${amount} ${currency} by ${rail}`;
