/**
 * Whose account a camt.054 is about. Only what the bank reports of the rail's own debtor account counts: a file that got into the inbox by mistake,
 * of another customer or of another account at the bank, moves nothing. Nor does the account of another rail, whose payments this one does not know.
 */
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { maskAccount } from '../../outside/credits/credit.ts';
import { plainIdentifier, readCreditedAccounts } from '../../outside/credits/credited-account-store.ts';
import { deriveId, type Uuid } from '../../values/ids.ts';
import type { BankFinding } from './bank-inbox-store.ts';
import type { BankLine, EntryLine } from './bank-line.ts';
import type { BankSettings, ReportedAccount } from './bank-settings.ts';

type Accounts = Pick<BankSettings, 'accounts'>;

export type AccountStanding =
  | ReportedAccount
  /** The debtor account of another rail at this bank. */
  | 'of_another_rail'
  /** A bank account of the operator's and of no rail: reconciliation takes its notifications. */
  | 'reconciled'
  | 'unknown';

/** By the names in RAILS_FILE, else by those of the bank account that reconciliation has for one of them. */
async function accountStanding(
  db: Queryable,
  bookId: BookId,
  { bank, name }: { readonly bank: Accounts; readonly name: string },
): Promise<AccountStanding> {
  const known = named(bank, name);
  if (known !== undefined) return known;
  const reconciled = (await readCreditedAccounts(db, bookId, [name])).get(name);
  if (reconciled === undefined) return 'unknown';
  return reconciled.names.map((one) => named(bank, one)).find((one) => one !== undefined) ?? 'reconciled';
}

/** Whether one of the accounts is the rail's own. */
export async function isOfRail(
  db: Queryable,
  bookId: BookId,
  { bank, names }: { readonly bank: Accounts; readonly names: readonly string[] },
): Promise<boolean> {
  for (const name of names) {
    const standing = await accountStanding(db, bookId, { bank, name });
    if (typeof standing === 'object') return true;
  }
  return false;
}

function named({ accounts }: Accounts, name: string): ReportedAccount | 'of_another_rail' | undefined {
  const asked = compared(name);
  const known = accounts.find(
    ({ iban, reportedAs }) => iban === asked || reportedAs.some((one) => compared(one) === asked),
  );
  return known === undefined || known.iban === accounts[0]!.iban ? known : 'of_another_rail';
}

const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;

/** An IBAN in its electronic form (ISO 13616); any other name is the bank's own, and compared as it is. */
function compared(name: string): string {
  const plain = plainIdentifier(name);
  return IBAN.test(plain) ? plain : name;
}

/** Beyond these an exception counts accounts and does not name them: a file may be anything. */
const NAMED_MAX = 10;

/** The finding about a file that reports accounts of nobody's: one a file, so that it can be given again. */
export const unknownAccountsId = (rail: string, sha256: string): Uuid =>
  deriveId('bank-finding', rail, 'file_account_unknown', sha256);

/** Of the lines of a file, those that are of the rail's account; what others it has is counted. */
export class AccountGate {
  readonly #standingOf: (name: string) => Promise<AccountStanding>;
  /** Of the last account: the lines of a notification follow each other. */
  #last: { readonly name: string; readonly standing: AccountStanding } | undefined;
  readonly #unknown = new Set<string>();
  #entries = 0;

  constructor(db: Queryable, of: { readonly bookId: BookId; readonly bank: Accounts }) {
    this.#standingOf = (name) => accountStanding(db, of.bookId, { bank: of.bank, name });
  }

  /** Those of one account are under its IBAN, whatever the file calls it. */
  async pass(lines: readonly BankLine[]): Promise<BankLine[]> {
    const passed: BankLine[] = [];
    for (const line of lines) {
      const own = line.type === 'entry' ? await this.#own(line) : line;
      if (own !== undefined) passed.push(own);
    }
    return passed;
  }

  async #own(line: EntryLine): Promise<EntryLine | undefined> {
    if (this.#last?.name !== line.account)
      this.#last = { name: line.account, standing: await this.#standingOf(line.account) };
    const { standing } = this.#last;
    if (typeof standing === 'object')
      return { ...line, account: standing.iban, accountNames: [standing.iban, ...standing.reportedAs, line.account] };
    if (standing !== 'reconciled' && line.isBooked && !line.isCopy) {
      this.#entries += 1;
      if (this.#unknown.size < NAMED_MAX) this.#unknown.add(line.account);
    }
    return undefined;
  }

  finding({ rail, name, sha256 }: { rail: string; name: string; sha256: string }): BankFinding | undefined {
    if (this.#entries === 0) return undefined;
    const accounts = [...this.#unknown].map((account) => (account === '' ? 'no account' : maskAccount(account)));
    const detail = `The file ${name} of ${rail} reports ${this.#entries} booked transactions of ${accounts.join(', ')}: the debtor account of this rail is not reported under such a name. None of them was counted. Where it is the debtor account, add the name to reported_as in RAILS_FILE, and put the file into the inbox again. Where it is the account of another rail, have the bank send a file for each account.`;
    const fileId = deriveId('bank-file', rail, sha256);
    return {
      id: unknownAccountsId(rail, sha256),
      kind: 'file_account_unknown',
      fileId,
      detail: detail.slice(0, 1_000),
    };
  }
}
