/**
 * What a line of a bank's file means for the payments that it names: reported as paid, rejected or returned, or as nothing. What the lines of one
 * batch do not add up to is an exception of the operator's: a part of them is never guessed. Pure.
 */

import { isDuplicate } from '../failure-codes.ts';
import type { EntryLine, StatusLine } from './bank-line.ts';
import type { BankSettings } from './bank-settings.ts';

/** An instruction as the rail has it. */
export interface BankInstruction {
  readonly endToEndId: string;
  /** InstrId. */
  readonly reference: string;
  /** The book whose payout it is; null for one that was read from `sent/` and has not been submitted since. */
  readonly originator: string | null;
  readonly amount: bigint;
  readonly currency: string;
  readonly status: InstructionStatus;
}

export type InstructionStatus =
  /** Submitted; in no file yet. */
  | 'waiting'
  /** In a file. A line of the bank's ends it. */
  | 'filed'
  /** The bank has debited it, or reported it as carried out. */
  | 'paid'
  /** The bank will not carry it. */
  | 'rejected';

/** A line's report about one instruction. */
export interface Reported {
  readonly instruction: BankInstruction;
  readonly kind: 'paid' | 'rejected' | 'returned';
  /** Of a return. */
  readonly amount: bigint | null;
  readonly code: string | null;
  /** What was moved by the line, without the bank's charges. Of a return: nothing, since it is compared by its amount. */
  readonly confirmed: { readonly amount?: bigint; readonly currency?: string };
}

export interface Meaning {
  readonly reported: readonly Reported[];
  readonly finding?: Finding;
  /** Money that arrived, and that is of no payment of ours. */
  readonly credit?: true;
  /** Why it means nothing. */
  readonly nothing?: 'pending' | 'copy' | 'in_progress' | 'foreign';
}

/** An exception of the operator's. */
export interface Finding {
  readonly kind: 'file_amount_mismatch' | 'file_rejected';
  readonly detail: string;
}

const NOTHING = (nothing: Meaning['nothing']): Meaning => ({ reported: [], nothing: nothing! });

/** ExternalPaymentTransactionStatus1Code: carried out on the debtor's, on the creditor's account. */
const CARRIED_OUT = ['ACSC', 'ACCC'];
const REJECTED = ['RJCT', 'CANC'];

/**
 * `instructions`: the one of a transaction, or all of the payment or group that have no word of their own in the file. Empty: none of ours. One
 * that has ended the other way keeps its word: a payment or a group stands for those that are open, whatever file has ended the others.
 */
export function meaningOfStatus(
  line: StatusLine,
  instructions: readonly BankInstruction[],
  bank: Pick<BankSettings, 'paidByStatus'>,
): Meaning {
  const isOne = line.level === 'transaction';
  if (instructions.length === 0) return NOTHING(isOne ? 'foreign' : 'in_progress');
  if (REJECTED.includes(line.status)) {
    // A duplicate is no rejection of what the bank has: it is evidence of each.
    const isAbout = isOne || isDuplicate(line.reason ?? null);
    return rejected(line, isAbout ? instructions : without('paid', instructions));
  }
  if (!CARRIED_OUT.includes(line.status) || !bank.paidByStatus) return NOTHING('in_progress');
  return carriedOut(line, isOne ? instructions : without('rejected', instructions));
}

const without = (status: InstructionStatus, instructions: readonly BankInstruction[]) =>
  instructions.filter((one) => one.status !== status);

function rejected(line: StatusLine, open: readonly BankInstruction[]): Meaning {
  const code = line.reason ?? null;
  const reported = open.map((instruction) => ({
    ...{ instruction, kind: 'rejected' as const, amount: null, code },
    confirmed: {},
  }));
  if (isDuplicate(code) || (line.level !== 'group' && open.length > 0)) return { reported };
  const what = line.level === 'group' ? `the file ${line.messageId ?? 'it does not name'}` : namedIn(line);
  const nothing = open.length > 0 ? '' : ' All of it is paid. Nothing was booked.';
  const detail = `The bank rejected ${what} with ${code ?? 'no reason'}.${nothing}`;
  return { reported, finding: { kind: 'file_rejected', detail } };
}

function carriedOut(line: StatusLine, open: readonly BankInstruction[]): Meaning {
  const reported = open.map((instruction) => ({
    ...{ instruction, kind: 'paid' as const, amount: null, code: null },
    confirmed: { amount: instruction.amount, currency: instruction.currency },
  }));
  if (open.length > 0) return { reported };
  const detail = `The bank reports ${namedIn(line)} as carried out (${line.status}), and had rejected all of it. Nothing was booked.`;
  return { reported, finding: { kind: 'file_amount_mismatch', detail } };
}

const namedIn = ({ paymentInformationId, messageId }: StatusLine) => paymentInformationId ?? messageId ?? 'a file';

/** `isBatch`: the line names none of its payments, and `instructions` are all of the PmtInf or file that it names. */
export function meaningOfEntry(
  line: EntryLine,
  { instructions, isBatch }: { readonly instructions: readonly BankInstruction[]; readonly isBatch: boolean },
): Meaning {
  if (line.isCopy) return NOTHING('copy');
  if (!line.isBooked) return NOTHING('pending');
  if (instructions.length === 0 && isArrival(line)) return { reported: [], credit: true };
  if (instructions.length === 0) return NOTHING('foreign');
  if (line.direction === 'credit') return isBatch ? NOTHING('foreign') : returned(line, instructions[0]!);
  // The reversal of a credit: money that had come back leaves again, which a person has to look at.
  if (line.isReversal) return NOTHING('foreign');
  return isBatch ? batchPaid(line, instructions) : { reported: [paid(line, instructions[0]!)] };
}

/** One of several without an amount of its own arrived too: its entry is one that its transactions do not come to. */
function isArrival({ direction, amount, transactions }: EntryLine): boolean {
  return direction === 'credit' && (amount === undefined ? transactions > 1 : amount > 0n);
}

function returned(line: EntryLine, instruction: BankInstruction): Meaning {
  const { amount, currency, reason } = line;
  if (amount === undefined || amount === 0n) return NOTHING('foreign');
  return {
    reported: [{ instruction, kind: 'returned', amount, code: reason ?? null, confirmed: { currency } }],
  };
}

function paid(line: EntryLine, instruction: BankInstruction): Reported {
  const moved = withoutCharges(line, instruction.amount);
  return {
    instruction,
    kind: 'paid',
    amount: null,
    code: null,
    confirmed: { ...(moved === undefined ? {} : { amount: moved }), currency: line.currency },
  };
}

/** Charges that the details name beside the amount are the operator's. */
function withoutCharges({ amount, charges }: EntryLine, expected: bigint): bigint | undefined {
  return amount !== undefined && charges > 0n && amount - charges === expected ? expected : amount;
}

function batchPaid(line: EntryLine, instructions: readonly BankInstruction[]): Meaning {
  const open = without('rejected', instructions);
  const isOneCurrency = open.every(({ currency }) => currency === line.currency);
  const sum = open.reduce((total, { amount }) => total + amount, 0n);
  if (open.length > 0 && isOneCurrency && withoutCharges(line, sum) === sum)
    return { reported: open.map((instruction) => paid({ ...line, amount: instruction.amount }, instruction)) };
  return {
    reported: [],
    finding: {
      kind: 'file_amount_mismatch',
      detail: `The bank debited ${line.amount ?? 'no amount'} ${line.currency} for ${line.paymentInformationId ?? line.messageId}, whose ${open.length} payments that are not rejected sum up to ${sum}. Nothing was booked.`,
    },
  };
}
