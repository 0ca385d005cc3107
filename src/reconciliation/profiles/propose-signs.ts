/** Which sign stands before decimals, and which between groups of three digits, by the amounts of a file. */
import { BadInput } from '../../intake/bad-input.ts';
import { decimalOf } from '../../money/amount.ts';
import { StatementInvalid } from '../reading/bank-file.ts';
import { csvAmount, DECIMALS, GROUPS } from '../reading/read-csv.ts';
import type { Question } from './proposal.ts';
import type { CsvForm } from './saved-profile.ts';

export interface WrittenAmount {
  readonly row: number;
  readonly text: string;
  readonly currency: string;
}

type Signs = Pick<CsvForm, 'decimal' | 'group'>;

interface Reading {
  readonly signs: Signs;
  readonly amounts: readonly bigint[];
}

/** Throws BadInput where no sign fits every amount. */
export function signsOf(
  written: readonly WrittenAmount[],
  answers: Partial<Signs>,
): { readonly chosen: Signs | undefined; readonly question: Question | undefined } {
  const readings: Reading[] = [];
  let fault: BadInput | undefined;
  for (const decimal of answers.decimal === undefined ? DECIMALS : [answers.decimal]) {
    const read = firstOf(decimal, written, answers);
    if (read instanceof BadInput) fault ??= read;
    else readings.push(read);
  }
  const [first, second] = readings;
  if (first === undefined) throw fault!;
  const differs = second === undefined ? -1 : first.amounts.findIndex((amount, at) => amount !== second.amounts[at]);
  if (differs === -1) return { chosen: first.signs, question: undefined };
  const { text, currency } = written[differs]!;
  const choices = readings.map(({ signs, amounts }) => ({
    value: signs.decimal,
    reads: `${text} is ${decimalOf(amounts[differs]!, currency)} ${currency}`,
  }));
  return { chosen: undefined, question: { about: 'decimal', choices } };
}

/** No group is the first choice: whatever has one has a sign that shows it. */
function firstOf(
  decimal: Signs['decimal'],
  written: readonly WrittenAmount[],
  answers: Partial<Signs>,
): Reading | BadInput {
  const groups = answers.group === undefined ? [null, ...GROUPS.filter((sign) => sign !== decimal)] : [answers.group];
  let furthest: BadInput | undefined;
  for (const group of groups) {
    const signs = { decimal, group };
    try {
      return {
        signs,
        amounts: written.map(({ row, text, currency }) => csvAmount(text, { row, profile: signs, currency })),
      };
    } catch (error) {
      if (!(error instanceof StatementInvalid)) throw error;
      if (furthest === undefined || (error.row ?? 0) > (furthest.row ?? 0))
        furthest = new BadInput(error.row, error.message);
    }
  }
  return furthest!;
}
