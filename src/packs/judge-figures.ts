/** Compares the tables and reports of a pack with what its entries add up to. */
import { readCsv } from '../intake/csv.ts';
import type { ChartCode } from '../ledger/account/account-code.ts';
import { CHART, chartAccountId } from '../ledger/account/chart.ts';
import { SYSTEM_ACCOUNTS } from '../ledger/account/chart-names.ts';
import { TrialBalance } from '../ledger/balances/trial-balance.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { Judgement } from '../proofs/judge-proof.ts';
import { activityRow } from '../reports/figures/account-activity.ts';
import type { ChartEntry } from '../reports/figures/chart.ts';
import { FigureContradicted, type FigureKind, onePage, type Row } from '../reports/figures/figures.ts';
import { FIGURE_TYPES } from '../reports/figures/kinds.ts';
import { OPEN_CODES } from '../reports/figures/open-items.ts';
import { trialRows } from '../reports/figures/trial-balance.ts';
import { csvColumns, writeFigures } from '../reports/figures/write-figures.ts';
import { parsePublicId, publicId } from '../values/ids.ts';
import { readBankRows } from './bank-table.ts';
import type { JournalFold } from './fold-entries.ts';
import { MANIFEST, PACK_FILES } from './pack.ts';
import { bytesOf, type ReadPack } from './pack-folder.ts';
import {
  type AccountLine,
  accountLines,
  accountText,
  laterLines,
  laterText,
  onSide,
  readAccountLines,
  readLaterLines,
} from './pack-tables.ts';

/** Throws BadInput for a file that is not such a table. */
export async function judgeFigures(pack: ReadPack, fold: JournalFold): Promise<Judgement[]> {
  const { folder, manifest } = pack;
  const read = readAccountLines(bytesOf(folder, PACK_FILES.accounts));
  const facts = new Map(read.map((line) => [line.id, line]));
  const strange = [...fold.accounts.keys()].find((id) => !facts.has(id));
  if (strange !== undefined)
    return [
      failed(
        `${PACK_FILES.accounts}, row of ${publicId('account', strange)}: it is missing, and entries move the account.`,
      ),
    ];
  const accounts = [...accountLines(fold, (id) => facts.get(id)!)];
  const later = [...laterLines(fold)];
  const chart = accounts.map((line) => chartEntryOf(line, manifest.through));
  const trial = await trialRows([{ entries: chart }]);
  return [
    compared(PACK_FILES.accounts, accounts.map(accountText), read.map(accountText)),
    compared(PACK_FILES.later, later.map(laterText), readLaterLines(bytesOf(folder, PACK_FILES.later)).map(laterText)),
    judgeCodes(pack, accounts),
    judgeDigest(pack, accounts),
    comparedReport(pack, PACK_FILES.trialBalance, FIGURE_TYPES.trial_balance.kind, trial),
    await judgeReportDigest(pack, trial),
    comparedReport(pack, PACK_FILES.activity, FIGURE_TYPES.account_activity.kind, activityOf(fold, chart)),
    judgeOpenItems(pack, trial),
    ...judgeBanks(pack, accounts),
  ];
}

const failed = (text: string): Judgement => ({ isSound: false, text });
const passed = (text: string): Judgement => ({ isSound: true, text });

/** Line by line: the first one that differs is the finding. */
function compared(name: string, expected: readonly string[], found: readonly string[]): Judgement {
  const at = Array.from({ length: Math.max(expected.length, found.length) }).findIndex(
    (_, line) => expected[line] !== found[line],
  );
  if (at === -1) return passed(`${name} is what the entries come to (${expected.length} rows).`);
  const shown = (line: string | undefined) => line?.trim() ?? 'no row';
  return failed(`${name}, row ${at + 1}: it has ${shown(found[at])}; the entries come to ${shown(expected[at])}.`);
}

/** As the reports read them: an account of which a line was posted by the last day stands there, with zero too. */
function chartEntryOf(line: AccountLine, through: string): ChartEntry {
  const { id, code, shownCode, type, side, currency, since, debit, credit } = line;
  const posted = onSide(line, debit - credit);
  return {
    id,
    code,
    side,
    currency,
    line: since <= through ? 1n : 0n,
    posted,
    named: { code: shownCode, name: null, type },
  };
}

function activityOf(fold: JournalFold, chart: readonly ChartEntry[]): Row[] {
  return chart.flatMap((entry) => {
    const { opening, moved } = fold.accounts.get(entry.id)!;
    return activityRow(entry, onSide(entry, opening), moved) ?? [];
  });
}

/** Names may change and are left out; all else is compared. */
function comparedReport({ folder }: ReadPack, name: string, kind: FigureKind, rows: readonly Row[]): Judgement {
  const columns = csvColumns(kind.columns);
  const kept = columns.filter(({ is }) => is === 'plain');
  const found = readCsv(
    bytesOf(folder, name),
    columns.map((column) => column.name),
  );
  const line = (cells: readonly string[]) => cells.join(',');
  return compared(
    name,
    rows.map((row) => line(kept.map(({ read }) => String(read(row) ?? '')))),
    found.map(({ fields }) => line(kept.map((column) => fields[column.name]!))),
  );
}

/** An account of the system is recognized by its id, and type and side follow from the code: under another code its line would be another one. */
function judgeCodes({ manifest }: ReadPack, accounts: readonly AccountLine[]): Judgement {
  const book = parsePublicId('book', manifest.book);
  if (book === undefined) return failed(`${MANIFEST} names ${manifest.book}, which is no book.`);
  const wrong = accounts.find((line) => !isCalledRight(book, line));
  if (wrong === undefined) return passed('Accounts are those of the chart.');
  return failed(`${PACK_FILES.accounts} calls ${publicId('account', wrong.id)} ${wrong.shownCode}, which it is not.`);
}

function isCalledRight(book: BookId, { id, code, shownCode, type, side, currency }: AccountLine): boolean {
  const named = CODES.find((one) => id === chartAccountId(book, one, currency));
  if (named !== undefined && named !== code) return false;
  if (code === 'customer') return type === 'liability' && side === 'credit' && shownCode === code;
  if (code === 'own') return side === (type === 'asset' || type === 'expense' ? 'debit' : 'credit');
  if (!CODES.includes(code) || (named === undefined && !OF_PARTIES.has(code))) return false;
  return SYSTEM_ACCOUNTS[code].type === type && CHART[code].side === side && shownCode === code;
}

const CODES = Object.keys(SYSTEM_ACCOUNTS) as readonly ChartCode[];
/** Codes that only the operator's book has: some have an account for each party, with ids of their own. */
const OF_PARTIES = new Set<ChartCode>(CODES.slice(CODES.indexOf('bank')));

function judgeDigest({ manifest }: ReadPack, accounts: readonly AccountLine[]): Judgement {
  const trial = new TrialBalance();
  for (const line of accounts) {
    const balance = onSide(line, line.debit - line.credit);
    if (balance !== 0n) trial.add({ ...line, balance });
  }
  const off = [...trial.totals].find(([, { debit, credit }]) => debit !== credit);
  if (off) return failed(`Of ${off[0]}, debits come to ${off[1].debit} and credits to ${off[1].credit}.`);
  const digest = trial.digest();
  if (digest === manifest.trial_balance.period_digest)
    return passed('The entries come to the trial balance with which the days were closed.');
  return failed(
    `The entries come to a trial balance of ${digest}, and the days were closed with ${manifest.trial_balance.period_digest}.`,
  );
}

async function judgeReportDigest({ manifest }: ReadPack, trial: readonly Row[]): Promise<Judgement> {
  const how = { format: 'csv', bom: false, head: {} } as const;
  const { report_digest: stated } = manifest.trial_balance;
  let digest: string;
  try {
    ({ digest } = await writeFigures(
      FIGURE_TYPES.trial_balance.kind,
      onePage(undefined, async () => trial),
      how,
      () => undefined,
    ));
  } catch (error) {
    if (!(error instanceof FigureContradicted)) throw error;
    return failed(
      `${error.message.replace(' Run `npm run verify`.', '')} The pack opens with other balances than the one before closed with.`,
    );
  }
  return digest === stated
    ? passed(`The report has the digest ${stated}.`)
    : failed(`The report has the digest ${digest}, and ${MANIFEST} says ${stated}.`);
}

/** Every bank account that something stands on has a row, and the row is what its entries come to. */
function judgeBanks({ folder }: ReadPack, accounts: readonly AccountLine[]): Judgement[] {
  const standing = new Map(accounts.map(({ id, debit, credit }) => [id, debit - credit]));
  const rows = readBankRows(bytesOf(folder, PACK_FILES.banks));
  const named = new Set(rows.map(({ ledgerAccountId }) => ledgerAccountId));
  const missing = accounts.filter(
    ({ id, code, debit, credit }) => code === 'bank' && debit !== credit && !named.has(id),
  );
  const at = (index: number) => `${PACK_FILES.banks}, row ${index + 1}`;
  const judgements = rows.map(({ bankAccount, ledgerAccountId, stated, books, difference }, index): Judgement => {
    const expected = standing.get(ledgerAccountId) ?? 0n;
    if (books !== expected)
      return failed(`${at(index)}: it has ${books} in the books; the entries come to ${expected}.`);
    if (stated === null)
      return difference === null
        ? passed(`${bankAccount}: its bank states no balance; ${books} stands in the books.`)
        : failed(`${at(index)}: a difference of ${difference}, and no balance that is stated.`);
    if (difference !== stated - books)
      return failed(`${at(index)}: the difference is ${difference}; ${stated} less ${books} is ${stated - books}.`);
    return difference === 0n
      ? passed(`${bankAccount} closes with ${stated}, and so do the books.`)
      : failed(`${at(index)}: ${bankAccount} closes with ${stated}, and the books with ${books}.`);
  });
  return [
    ...judgements,
    ...missing.map(({ id }) =>
      failed(`${PACK_FILES.banks}: ${publicId('account', id)} is a bank account, and has no row.`),
    ),
  ];
}

/** Open items of each account come to what stands on it. */
function judgeOpenItems({ folder }: ReadPack, trial: readonly Row[]): Judgement {
  const rows = readCsv(
    bytesOf(folder, PACK_FILES.openItems),
    csvColumns(FIGURE_TYPES.open_items.kind.columns).map(({ name }) => name),
  );
  const sums = new Map<string, bigint>();
  for (const { fields } of rows) {
    const key = `${fields.code} ${fields.currency}`;
    sums.set(key, (sums.get(key) ?? 0n) + BigInt(fields.amount_minor!));
  }
  for (const { code, currency, debit, credit } of trial) {
    const key = `${code} ${currency}`;
    if (!OPEN_CODES.some((open) => open === code)) continue;
    const onCredit = (credit as bigint) - (debit as bigint);
    // The one asset among them.
    const standing = code === 'acquirer' ? -onCredit : onCredit;
    const sum = sums.get(key) ?? 0n;
    if (sum !== standing) return failed(`${PACK_FILES.openItems} comes to ${sum} on ${key}; ${standing} stands there.`);
    sums.delete(key);
  }
  const [more] = [...sums].filter(([, sum]) => sum !== 0n);
  if (more) return failed(`${PACK_FILES.openItems} comes to ${more[1]} on ${more[0]}, where nothing stands.`);
  return passed(`${PACK_FILES.openItems} comes to what is open (${rows.length} rows).`);
}
