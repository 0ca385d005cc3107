/**
 * What a statement is held or rejected for. Pure: a function of the statement, its bank account, and the statements beside it.
 */
import type { BankAccount } from '../accounts/bank-account.ts';
import type { BankFileStatement } from '../reading/bank-file.ts';
import { type FindingCode, HOLDING, type StatementFinding } from './bank-statement.ts';
import { goesOn, isBefore } from './chain.ts';

/** What the lines of a statement come to, counted while it was read. */
export interface StatementSums {
  readonly booked: number;
  /** Of lines that are no reversals. */
  readonly sum: bigint;
  /** Of reversals, in the direction that the file states. */
  readonly reversed: bigint;
  readonly creditsCount: number;
  readonly creditsSum: bigint;
  readonly debitsCount: number;
  readonly debitsSum: bigint;
  readonly firstDay: string | null;
  readonly lastDay: string | null;
  /** Lines whose movements do not come to their amount; the first ones. */
  readonly differing: readonly DifferingLine[];
}

export interface DifferingLine {
  readonly row: number;
  readonly amount: bigint;
  /** What its movements come to. */
  readonly stated: bigint;
}

export interface StatementBeside {
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly page: number | null;
  /** Its lines are posted, or will be. */
  readonly released: boolean;
}

export interface JudgeInput {
  readonly statement: BankFileStatement;
  readonly sums: StatementSums;
  /** Undefined where no bank account has its identifier. */
  readonly account:
    | Pick<
        BankAccount,
        'currency' | 'openingOn' | 'reversalIndicator' | 'status' | 'balance' | 'chainedOn' | 'underWay'
      >
    | undefined;
  /** Whether a posted statement of the same number and days states something else. */
  readonly isRestated: boolean;
  /** Pages of the same number that are here, itself among them. */
  readonly pages: readonly StatementBeside[];
}

export interface Verdict {
  readonly status: 'received' | 'held' | 'rejected';
  readonly findings: readonly StatementFinding[];
}

export function judgeStatement(input: JudgeInput): Verdict {
  const findings = [...rejections(input)];
  if (findings.length > 0) return { status: 'rejected', findings };
  findings.push(...holds(input), ...remarks(input));
  const isHeld = findings.some(({ code }) => (HOLDING as readonly string[]).includes(code));
  return { status: isHeld ? 'held' : 'received', findings };
}

/**
 * What a statement is rejected for that a book compares with an account of its own. It is chained to none, and nobody accepts what does not fit: what
 * is wrong in itself is not compared.
 */
export function judgeCompared({ statement, sums }: Pick<JudgeInput, 'statement' | 'sums'>, currency: string): Verdict {
  const account = { currency, reversalIndicator: 'entry' } as const;
  const findings = [...rejections({ statement, sums, account: undefined }), ...misfits({ statement, sums, account })];
  if (findings.length > 0) return { status: 'rejected', findings };
  return { status: 'received', findings: [...remarks({ statement, sums })] };
}

/** Amounts of another currency, or lines that do not come to the closing balance. */
function* misfits(footing: Footing & { readonly account: Pick<BankAccount, 'currency'> }): Generator<StatementFinding> {
  const { statement, sums, account } = footing;
  const { opening, closing } = statement;
  const other = otherCurrency(statement, account);
  if (other !== undefined) yield other;
  else if (opening !== null && closing !== null) {
    const moved = movedBy(sums, account.reversalIndicator);
    if (opening.amount + moved !== closing.amount) yield totals(footing, moved);
  }
}

function* rejections({
  statement,
  sums,
  account,
}: Pick<JudgeInput, 'statement' | 'sums' | 'account'>): Generator<StatementFinding> {
  const { fault, groupStatus, row } = statement;
  if (fault !== null) yield finding('statement_invalid', fault.row ?? row, fault.detail);
  if (groupStatus !== null)
    yield finding('group_status', row, `The bank calls the group ${groupStatus}: nothing of it is posted.`);
  const last = statement.to ?? sums.lastDay;
  if (account !== undefined && last !== null && last < account.openingOn)
    yield finding('statement_invalid', row, 'The statement ends before the opening of the bank account.', {
      expected: `${account.openingOn} or later`,
      actual: last,
    });
  if (account?.status === 'closed') yield finding('statement_invalid', row, 'The bank account is closed.');
}

function* holds({ statement, sums, account, isRestated, pages }: JudgeInput): Generator<StatementFinding> {
  const { row, opening, closing, page } = statement;
  if (account === undefined) {
    yield finding(
      'bank_account_unknown',
      row,
      'No bank account has this identifier, so nothing of the statement is posted: make it with POST /v1/transactions/bank_accounts, and the statement is taken up by itself.',
    );
    return;
  }
  const other = otherCurrency(statement, account);
  if (other !== undefined) {
    yield other;
    return;
  }
  if (isRestated)
    yield finding('statement_restated', row, 'A posted statement of the same number and days states something else.');
  if (opening === null || closing === null) return;
  const moved = movedBy(sums, account.reversalIndicator);
  if (opening.amount + moved !== closing.amount) yield totals({ statement, sums, account }, moved);
  if (page !== null && !arePagesWhole(pages)) {
    yield finding('statement_page_missing', row, 'Pages of the statement are missing.', {
      expected: 'every page from the first to the last',
      actual: `pages ${pages
        .map((one) => one.page ?? 1)
        .sort((one, other) => one - other)
        .join(', ')}`,
    });
    return;
  }
  if (isRestated) return;
  const isNext = goesOn(account, { opening: opening.amount, on: statement.to });
  // Pages are posted in their order: those before it are on their way.
  if (page !== null && !page.isFirst && !(isNext && isPageBehind(page.number, pages))) {
    const [expected, actual] = [String(account.balance), String(opening.amount)];
    yield finding('statement_page_missing', row, 'The pages before it are not posted yet.', { expected, actual });
  } else if (!isNext) yield gap(statement, account);
}

function gap({ row, opening, to }: BankFileStatement, account: NonNullable<JudgeInput['account']>): StatementFinding {
  const actual = String(opening!.amount);
  if (isBefore(account.chainedOn, to))
    return finding(
      'statement_gap',
      row,
      `Statements through ${account.chainedOn} are posted, and it does not fit between them: others of its days are missing.`,
      { actual },
    );
  const expected = String(account.balance);
  const detail =
    account.underWay > 0
      ? 'A statement before it is being posted. It is posted behind that one.'
      : 'The statement does not begin where the one before it ended.';
  return finding('statement_gap', row, detail, { expected, actual });
}

function isPageBehind(number: number, pages: readonly StatementBeside[]): boolean {
  return pages.some(({ page, released }) => released && (page ?? 1) === number - 1);
}

function otherCurrency(
  { row, currency, otherCurrencies }: BankFileStatement,
  account: Pick<BankAccount, 'currency'>,
): StatementFinding | undefined {
  const others = currency === null || currency === account.currency ? otherCurrencies : [currency, ...otherCurrencies];
  if (others.length === 0) return undefined;
  return finding('currency_differs', row, 'The statement has amounts in another currency than its account.', {
    ...{ expected: account.currency, actual: others.join(', ') },
  });
}

interface Footing {
  readonly statement: BankFileStatement;
  readonly sums: StatementSums;
  readonly account: Pick<BankAccount, 'reversalIndicator'>;
}

/** Ends the finding of a statement that comes to its closing balance by the other reading of reversals. */
export const footsBy = (other: BankAccount['reversalIndicator']) => ` With reversal_indicator ${other} it foots.`;

function totals({ statement: { row, opening, closing }, sums, account }: Footing, moved: bigint): StatementFinding {
  const other = account.reversalIndicator === 'entry' ? 'original' : 'entry';
  const footsOtherwise = opening!.amount + movedBy(sums, other) === closing!.amount;
  const hint = footsOtherwise ? footsBy(other) : '';
  return finding('statement_totals', row, `Opening and lines do not come to the closing balance.${hint}`, {
    expected: String(opening!.amount + moved),
    actual: String(closing!.amount),
  });
}

/** What the lines come to, by what the bank means with a reversal. */
export function movedBy({ sum, reversed }: StatementSums, reversalIndicator: BankAccount['reversalIndicator']): bigint {
  return reversalIndicator === 'original' ? sum - reversed : sum + reversed;
}

export function arePagesWhole(pages: readonly StatementBeside[]): boolean {
  const sorted = pages.toSorted((one, other) => (one.page ?? 1) - (other.page ?? 1));
  return (
    sorted[0]?.isFirst === true &&
    sorted.at(-1)?.isLast === true &&
    sorted.every((one, index) => index === 0 || (one.page ?? 1) === (sorted[index - 1]!.page ?? 1) + 1)
  );
}

function* remarks({ statement, sums }: Pick<JudgeInput, 'statement' | 'sums'>): Generator<StatementFinding> {
  const { row, opening, closing, from, to, otherCurrencies } = statement;
  if ((opening === null || closing === null) && otherCurrencies.length === 0)
    yield finding(
      'no_balances',
      row,
      'It states no opening and closing balance: nothing shows whether lines are missing.',
    );
  for (const { row: place, amount, stated } of sums.differing)
    yield finding(
      'details_differ',
      place,
      'The movements that the bank states of the line do not come to its amount.',
      {
        expected: String(amount),
        actual: String(stated),
      },
    );
  const { firstDay, lastDay } = sums;
  if (to !== null && lastDay !== null && lastDay > to)
    yield finding('dates_out_of_order', row, 'A line is booked after the end of the statement.', {
      expected: to,
      actual: lastDay,
    });
  else if (from !== null && firstDay !== null && firstDay < from)
    yield finding('dates_out_of_order', row, 'A line is booked before the beginning of the statement.', {
      expected: from,
      actual: firstDay,
    });
}

function finding(
  code: FindingCode,
  place: number | null,
  detail: string,
  { expected = null, actual = null }: { expected?: string | null; actual?: string | null } = {},
): StatementFinding {
  return { code, place, detail, expected, actual };
}
