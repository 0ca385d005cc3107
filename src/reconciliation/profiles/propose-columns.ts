/** What the columns of a bank's CSV are: by their headings, in the languages of banks around, and by what stands in them. */
import type { ParsedRow } from '../../intake/csv.ts';
import { isCurrency } from '../../money/currency.ts';
import { formatsOf } from '../reading/csv-days.ts';
import { type CsvColumns, MONEY_IN, MONEY_OUT } from '../reading/read-csv.ts';
import type { Question } from './proposal.ts';

export interface ColumnAnswers {
  readonly bookedOn?: string | undefined;
  readonly amount?: string | undefined;
  readonly debit?: string | undefined;
  readonly credit?: string | undefined;
}

export interface ProposedColumns {
  readonly columns: CsvColumns;
  readonly questions: readonly Question[];
  /** It has a day and an amount. */
  readonly fits: boolean;
}

const HEADINGS = {
  booked_on:
    /^(book(ing|ed)?[ _-]?(date|day|on)|posting[ _-]?date|post[ _-]?date|transaction[ _-]?date|date|day|buchungs(tag|datum)|datum|date (d')?op[ée]ration|التاريخ|تاريخ (القيد|العملية|الحركة))$/i,
  value_on:
    /^(value[ _-]?(date|day|on)|valut(a|adatum|en)?|wertstellung(stag)?|date (de )?valeur|تاريخ (الحق|القيمة|الاستحقاق))$/i,
  amount: /^(amount|betrag|umsatz|montant|transaction amount|المبلغ)([^\p{L}].*)?$/iu,
  debit: /^(debits?|debit amount|withdrawals?|paid out|money out|soll|lastschrift|ausgang|d[ée]bit|مدين|سحب)$/i,
  credit: /^(credits?|credit amount|deposits?|paid in|money in|haben|gutschrift|eingang|cr[ée]dit|دائن|إيداع)$/i,
  balance: /^((running |closing |account )?balance|saldo( nach buchung)?|kontostand|solde|الرصيد)([^\p{L}].*)?$/iu,
  currency: /^(currency|ccy|w(ä|ae)hrung|devise|العملة)$/i,
  reference:
    /^((bank |transaction )?ref(erence)?( (no|number))?\.?|referenz|bankreferenz|r[ée]f[ée]rence|المرجع|رقم المرجع)$/i,
  end_to_end_id: /^(end[ -]?to[ -]?end[ _-]?(id|reference|referenz)?|e2e[ _-]?id)$/i,
  counterparty:
    /^(counter[ -]?party( name)?|beneficiary( name)?|payee|payer|beg(ü|ue)nstigter.*|auftraggeber.*|empf(ä|ae)nger.*|المستفيد|الطرف الآخر)$/i,
  text: /^(description|details?|narrative|text|memo|purpose|remittance( information)?|particulars|verwendungszweck|buchungstext|libell[ée]|البيان|الوصف|التفاصيل)$/i,
} as const;

type Role = keyof typeof HEADINGS;

const NUMBER = /^[+-]?\d[\d.,'\u00a0\u202f ]*-?$|^[+-]?[.,]\d+-?$/;

export function columnsOf(
  header: readonly string[],
  rows: readonly ParsedRow[],
  answers: ColumnAnswers,
): ProposedColumns {
  const values = new Map(header.map((name, at) => [name, rows.map(({ record }) => (record[at] ?? '').trim())]));
  const given = (name: string) => values.get(name)!.filter((text) => text !== '');
  const isDay = (name: string) => formatsOf(given(name)).length > 0;
  const isAmount = (name: string) => given(name).length > 0 && given(name).every((text) => NUMBER.test(text));
  const called = (role: Role, is: (name: string) => boolean = () => true) =>
    header.find((name) => HEADINGS[role].test(name) && is(name));
  const questions: Question[] = [];

  const isWhole = (name: string) => isDay(name) && given(name).length === rows.length;
  const valueOn = called('value_on', isDay);
  const days = header.filter((name) => isWhole(name) && name !== valueOn);
  const bookedOn =
    answers.bookedOn ?? called('booked_on', isWhole) ?? (days.length > 1 ? undefined : (days[0] ?? valueOn));
  if (bookedOn === undefined && days.length > 1) questions.push(choice('booked_on', days, given));

  const balance = called('balance', isAmount);
  const currency = called('currency', (name) => given(name).every(isCurrency));
  const taken = new Set([bookedOn, valueOn, balance, currency, called('reference'), called('end_to_end_id')]);
  const money = moneyOf({ header, taken, called, isAmount, answers });
  if (money.asked.length > 0) questions.push(choice('amount', money.asked, given));
  const sign = money.columns.amount === undefined ? undefined : signOf(header, given, rows.length);
  const named = {
    ...{ value_on: valueOn === bookedOn ? undefined : valueOn, currency, balance, sign },
    ...{ reference: called('reference'), end_to_end_id: called('end_to_end_id'), counterparty: called('counterparty') },
  };
  const columns: CsvColumns = {
    ...{ booked_on: bookedOn ?? '', ...money.columns, ...withoutGaps(named) },
    text: header.filter((name) => HEADINGS.text.test(name)),
  };
  const hasDay = bookedOn !== undefined ? header.includes(bookedOn) : days.length > 1;
  return { columns, questions, fits: hasDay && (money.asked.length > 0 || money.fits) };
}

interface MoneyIn {
  readonly header: readonly string[];
  readonly taken: ReadonlySet<string | undefined>;
  readonly called: (role: Role, is?: (name: string) => boolean) => string | undefined;
  readonly isAmount: (name: string) => boolean;
  readonly answers: ColumnAnswers;
}

/** One column of amounts, or one of each direction. */
function moneyOf({ header, taken, called, isAmount, answers }: MoneyIn): {
  readonly columns: Pick<CsvColumns, 'amount' | 'debit' | 'credit'>;
  readonly asked: readonly string[];
  readonly fits: boolean;
} {
  const isKnown = (...names: readonly (string | undefined)[]) => names.every((name) => header.includes(name!));
  if (answers.amount !== undefined)
    return { columns: { amount: answers.amount }, asked: [], fits: isKnown(answers.amount) };
  const debit = answers.debit ?? called('debit');
  const credit = answers.credit ?? called('credit');
  if (debit !== undefined && credit !== undefined)
    return { columns: { debit, credit }, asked: [], fits: isKnown(debit, credit) };
  const numbers = header.filter((name) => isAmount(name) && !taken.has(name));
  const amount = called('amount', isAmount) ?? (numbers.length === 1 ? numbers[0] : undefined);
  if (amount !== undefined) return { columns: { amount }, asked: [], fits: true };
  return { columns: {}, asked: numbers.length > 1 ? numbers : [], fits: false };
}

/** A column with nothing but words of direction, in every row. */
function signOf(
  header: readonly string[],
  given: (name: string) => readonly string[],
  rows: number,
): string | undefined {
  return header.find((name) => {
    const words = given(name);
    return words.length === rows && words.every((word) => MONEY_OUT.test(word) || MONEY_IN.test(word));
  });
}

function choice(
  about: Question['about'],
  names: readonly string[],
  given: (name: string) => readonly string[],
): Question {
  return { about, choices: names.map((name) => ({ value: name, reads: `its first row has ${given(name)[0]}` })) };
}

function withoutGaps<Named extends object>(named: Named): { [Name in keyof Named]?: Exclude<Named[Name], undefined> } {
  return Object.fromEntries(Object.entries(named).filter(([, name]) => name !== undefined)) as never;
}
