/** The profiles by which a CSV without one could be read: those that are saved and fit, and what the file itself shows. */
import { BadInput } from '../../intake/bad-input.ts';
import { canonicalJson } from '../../values/json.ts';
import type { BankAccount } from '../accounts/bank-account.ts';
import { readCsvStatement } from '../reading/read-csv.ts';
import type { Question } from './proposal.ts';
import { type Answers, proposeProfile } from './propose-profile.ts';
import { type CsvForm, profileFor, type SavedProfile } from './saved-profile.ts';

/** A file's beginning shows its form. */
export const HEAD_BYTES = 1_048_576;
const CANDIDATES_MAX = 10;
/** As many questions as there are. */
const QUESTIONS_MAX = 5;

export interface Candidate {
  /** Null where it is not saved. */
  readonly saved: SavedProfile | null;
  readonly form: CsvForm;
}

interface Of {
  readonly account: Pick<BankAccount, 'identifiers' | 'currency'>;
  readonly saved: readonly SavedProfile[];
  /** Whether `bytes` are the whole file. Else its last line may be cut off, and is left out. */
  readonly isWhole: boolean;
}

/** Empty where nothing fits. */
export function candidatesFor(bytes: Buffer, { account, saved, isWhole }: Of): Candidate[] {
  const head = isWhole ? bytes : wholeLines(bytes);
  const fitting = saved.filter((profile) => fits(head, profileFor(profile, account)));
  const known = new Set(fitting.map(textOf));
  const shown = readings(head, account.currency).filter((form) => !known.has(textOf(form)));
  return [
    ...fitting.map((profile) => ({ saved: profile, form: profile })),
    ...shown.map((form) => ({ saved: null, form })),
  ].slice(0, CANDIDATES_MAX);
}

function fits(head: Buffer, profile: ReturnType<typeof profileFor>): boolean {
  try {
    return readCsvStatement(head, profile).some(({ is }) => is === 'line');
  } catch (error) {
    if (error instanceof BadInput) return false;
    throw error;
  }
}

const ANSWER: Readonly<Record<Question['about'], keyof Answers>> = {
  delimiter: 'delimiter',
  decimal: 'decimal',
  date_format: 'dateFormat',
  booked_on: 'bookedOn',
  amount: 'amount',
};

/** Every form that fits, by every answer to what a person would be asked. */
function readings(head: Buffer, currency: string, answers: Answers = {}, asked = 0): CsvForm[] {
  try {
    const proposed = proposeProfile(head, { currency, answers });
    if (proposed.is === 'profile') return [proposed.form];
    if (asked === QUESTIONS_MAX) return [];
    const { about, choices } = proposed.questions[0]!;
    return choices.flatMap(({ value }) =>
      readings(head, currency, { ...answers, [ANSWER[about]]: value === 'tab' ? '\t' : value }, asked + 1),
    );
  } catch (error) {
    if (error instanceof BadInput) return [];
    throw error;
  }
}

const textOf = ({ delimiter, encoding, skip, columns, decimal, group, dateFormat }: CsvForm) =>
  canonicalJson({ delimiter, encoding, skip, columns, decimal, group, dateFormat });

function wholeLines(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf(10) + 1;
  // In UTF-16 of little endian a second byte follows.
  return bytes.subarray(0, bytes[end] === 0 && end % 2 === 1 ? end + 1 : end);
}
