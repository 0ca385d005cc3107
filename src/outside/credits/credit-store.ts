/** How rails report credits, and how workers move them. All writes compare: a repeated report or job changes nothing. */
import { byteaArray, plainArray, textArray } from '../../db/columns.ts';
import type { Pool, Queryable } from '../../db/pool.ts';
import type { SealedPlace, SecretBox } from '../../db/secret-box.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { toJson } from '../../values/json.ts';
import { maskName } from '../masks/mask-name.ts';
import { type Credit, creditId, maskAccount, type ReportedCredit } from './credit.ts';
import { inboundCredits } from './credit-table.ts';
import { type CreditedAccount, readCreditedAccounts, readStated } from './credited-account-store.ts';

/** Where the remittance of a credit is sealed. */
const remittancePlace = (bookId: BookId, id: Uuid): SealedPlace => ({
  bookId,
  ...{ table: 'inbound_credits', column: 'remittance_sealed', rowId: id },
});

/** ISO 20022 has 140 characters in a line of the remittance; a bank may send many lines. */
const REMITTANCE_MAX = 1_400;
const TEXT_MAX = 140;

export interface Reporter {
  /** The operator's book of the rail's mode. */
  readonly bookId: BookId;
  readonly rail: string;
  readonly secretBox: SecretBox;
  readonly now: Instant;
  /** Lines of statements: they are posted, and credit whatever the bank account states about notifications. */
  readonly byStatement?: true;
}

/** A credit under the names that all files have for it. */
export interface IdentifiedCredit {
  /** Of the bank account's first name, whatever the file calls it. */
  readonly credit: ReportedCredit;
  readonly id: Uuid;
  readonly account: CreditedAccount | undefined;
}

/**
 * A credit is one by bank account and the bank's reference, also where one file has the IBAN and another one the number: the id is that of the row
 * that is there under any name of the account, else that of its first name. `turns` counts references over all pages of the message; without it each
 * is the first of its reference.
 */
export async function identifyCredits(
  db: Queryable,
  { bookId, rail }: Pick<Reporter, 'bookId' | 'rail'>,
  credits: readonly ReportedCredit[],
  turns?: Map<string, number>,
): Promise<IdentifiedCredit[]> {
  const accounts = await readCreditedAccounts(db, bookId, credits.flatMap(namesOfAccount));
  const counted = credits.map((given) => {
    const reported = namesOfAccount(given);
    const account = reported.map((name) => accounts.get(name)).find((one) => one !== undefined);
    const names = [...(account?.names ?? []), ...reported];
    const credit = { ...given, bankAccount: names[0]! };
    const named = nameOf(credit);
    const turn = ((named !== null && turns?.get(named)) || 0) + 1;
    if (named !== null) turns?.set(named, turn);
    const ids = names.map((bankAccount) => creditId({ ...given, bankAccount }, { rail, turn }));
    return { credit, account, ids: [...new Set(ids)] };
  });
  const asked = counted.flatMap(({ ids }) => (ids.length > 1 ? ids : []));
  const known = asked.length === 0 ? undefined : await inboundCredits.load(db, bookId, asked);
  return counted.map(({ ids, ...one }) => ({ ...one, id: ids.find((id) => known?.has(id)) ?? ids[0]! }));
}

const namesOfAccount = ({ bankAccount, accountNames = [] }: ReportedCredit) => [...accountNames, bankAccount];

/**
 * The credits of one message. A reference that two of them have names neither, and nor does one that a credit of another amount or currency has
 * had: those are `shared`, unless they are in a book already. A notification is not kept where its bank account waits for the line of the statement,
 * and where that line is posted: then the line has brought the credit. Indexes: inbound_credits_pkey, inbound_credits_of_reference.
 */
export async function reportCredits(
  db: Queryable,
  reporter: Reporter,
  credits: readonly ReportedCredit[],
  turns: Map<string, number> = new Map(),
): Promise<void> {
  if (credits.length === 0) return;
  const { bookId, rail, secretBox, now } = reporter;
  const all = await identifyCredits(db, reporter, credits, turns);
  const counted = reporter.byStatement ? all : await withoutStated(db, bookId, all);
  if (counted.length === 0) return;
  const rows = counted.map(({ credit, id }) => {
    const named = nameOf(credit);
    const remittance = cut(credit.remittance);
    return {
      ...{ ...credit, id },
      isRepeated: named !== null && turns.get(named)! > 1,
      sealed: remittance === null ? null : secretBox.seal(remittance, remittancePlace(bookId, id)),
    };
  });
  await markShared(
    db,
    bookId,
    rows.filter(({ isRepeated }) => isRepeated),
  );
  await db.query(
    `INSERT INTO inbound_credits (book_id, rail, status, due_at, created_at, updated_at, shared, id, bank_account, bank_reference, amount,
       currency, end_to_end_id, payer_name, payer_account, remittance_sealed, value_on, booked_on)
     SELECT $1, $2, 'received', $3, $3, $3,
       repeated OR EXISTS (SELECT FROM inbound_credits k WHERE k.book_id = $1 AND k.bank_account = given.bank_account
         AND k.bank_reference = given.bank_reference AND k.bank_reference IS NOT NULL AND k.id <> given.id),
       id, bank_account, bank_reference, amount, currency, end_to_end_id, payer_name, payer_account, remittance_sealed, value_on, booked_on
     FROM unnest($4::boolean[], $5::uuid[], $6::text[], $7::text[], $8::bigint[], $9::text[], $10::text[], $11::text[], $12::text[],
       $13::bytea[], $14::text[], $15::text[]) AS given (repeated, id, bank_account, bank_reference, amount, currency, end_to_end_id,
         payer_name, payer_account, remittance_sealed, value_on, booked_on)
     ON CONFLICT (book_id, id) DO NOTHING`,
    [
      ...[bookId, rail, new Date(now)],
      plainArray(rows.map(({ isRepeated }) => isRepeated)),
      plainArray(rows.map(({ id }) => id)),
      textArray(rows.map(({ bankAccount }) => bankAccount.slice(0, TEXT_MAX))),
      textArray(rows.map(({ bankReference }) => bankReference)),
      plainArray(rows.map(({ amount }) => amount)),
      textArray(rows.map(({ currency }) => currency)),
      textArray(rows.map(({ endToEndId }) => endToEndId?.slice(0, TEXT_MAX) ?? null)),
      textArray(rows.map(({ payerName }) => payerName && maskName(payerName).slice(0, TEXT_MAX))),
      textArray(rows.map(({ payerAccount }) => payerAccount && maskAccount(payerAccount))),
      byteaArray(rows.map(({ sealed }) => sealed)),
      textArray(rows.map(({ valueOn }) => valueOn)),
      textArray(rows.map(({ bookedOn }) => bookedOn)),
    ],
  );
}

/** Of a notification: what no statement brings. */
async function withoutStated(
  db: Queryable,
  bookId: BookId,
  all: readonly IdentifiedCredit[],
): Promise<IdentifiedCredit[]> {
  const own = all.filter(({ account }) => account === undefined || account.creditsByNotification);
  const named = own.flatMap((one) =>
    one.account === undefined || one.credit.bankReference === null
      ? []
      : [{ one, bankAccountId: one.account.id, bankReference: one.credit.bankReference, amount: one.credit.amount }],
  );
  const stated = await readStated(db, bookId, named);
  const known = new Set(named.flatMap(({ one }, place) => (stated.has(place) ? [one] : [])));
  return own.filter((one) => !known.has(one));
}

const nameOf = ({ bankAccount, bankReference }: ReportedCredit) =>
  bankReference === null ? null : `${bankAccount} ${bankReference}`;

/** The first of a reference that a later credit of its message repeats. What is in a book already stays there. Index: inbound_credits_of_reference. */
async function markShared(db: Queryable, bookId: BookId, repeated: readonly ReportedCredit[]): Promise<void> {
  if (repeated.length === 0) return;
  await db.query(
    `UPDATE inbound_credits AS k SET shared = true
     FROM unnest($2::text[], $3::text[]) AS given (bank_account, bank_reference)
     WHERE k.book_id = $1 AND k.bank_account = given.bank_account AND k.bank_reference = given.bank_reference
       AND k.bank_reference IS NOT NULL AND k.status = 'received'`,
    [
      bookId,
      textArray(repeated.map(({ bankAccount }) => bankAccount.slice(0, TEXT_MAX))),
      textArray(repeated.map(({ bankReference }) => bankReference)),
    ],
  );
}

function cut(remittance: readonly string[]): string | null {
  const kept: string[] = [];
  let length = 0;
  for (const text of remittance) {
    if (length + text.length > REMITTANCE_MAX) break;
    kept.push(text);
    length += text.length;
  }
  return kept.length === 0 ? null : toJson(kept);
}

/** The texts of a credit, in the order of the message. */
export function openRemittance(secretBox: SecretBox, bookId: BookId, { id, remittanceSealed }: Credit): string[] {
  if (remittanceSealed === null) return [];
  return JSON.parse(secretBox.open(remittanceSealed, remittancePlace(bookId, id))) as string[];
}

/**
 * One of the same bank account, amount and currency that is in a book, reported within these days: of those with a reference of the bank or of those
 * without one. Index: inbound_credits_in_books.
 */
export async function findInBooks(
  db: Queryable,
  bookId: BookId,
  { bankAccount, amount, currency, createdAt }: Pick<Credit, 'bankAccount' | 'amount' | 'currency' | 'createdAt'>,
  { named, accountId }: { readonly named: boolean; readonly accountId: Uuid | null },
): Promise<Pick<Credit, 'id' | 'bankReference' | 'transferId'> | undefined> {
  const { rows } = await db.query<Pick<Credit, 'id' | 'bankReference' | 'transferId'>>({
    name: 'credits.in_books',
    text: `SELECT id, bank_reference AS "bankReference", transfer_id AS "transferId" FROM inbound_credits
      WHERE book_id = $1 AND bank_account = $2 AND amount = $3 AND currency = $4 AND status IN ('allocated', 'posted', 'given')
        AND created_at BETWEEN $5 AND $6 AND (bank_reference IS NOT NULL) = $7 AND ($8::uuid IS NULL OR account_id = $8)
      ORDER BY created_at DESC LIMIT 1`,
    values: [
      ...[bookId, bankAccount, amount, currency],
      ...[new Date(createdAt - SAME_MONEY_MS), new Date(createdAt + SAME_MONEY_MS)],
      ...[named, accountId],
    ],
  });
  return rows[0];
}

/** A notice and the statement of one booking are seldom further apart: the statement of a Friday's booking behind holidays. */
const SAME_MONEY_MS = 10 * 86_400_000;

/** Where it goes: undefined where another worker has decided it. Index: inbound_credits_pkey. */
export async function allocateCredit(
  pool: Pool,
  bookId: BookId,
  { id, version }: Credit,
  to: { readonly ownerBookId: Uuid; readonly accountId: Uuid; readonly transferId: Uuid; readonly now: Instant },
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE inbound_credits SET status = 'allocated', owner_book_id = $4, account_id = $5, transfer_id = $6, version = version + 1, updated_at = $7
     WHERE book_id = $1 AND id = $2 AND version = $3 AND status = 'received'`,
    [bookId, id, version, to.ownerBookId, to.accountId, to.transferId, new Date(to.now)],
  );
  return rowCount === 1;
}

/** No worker acts on it any more: it waits for a person. Index: inbound_credits_pkey. */
export async function endCredit(
  pool: Pool,
  bookId: BookId,
  { id, version }: Credit,
  { status, now }: { readonly status: 'posted' | 'unallocated' | 'given'; readonly now: Instant },
): Promise<void> {
  await pool.query(
    `UPDATE inbound_credits SET status = $4, due_at = NULL, version = version + 1, updated_at = $5,
       remittance_sealed = CASE WHEN $4 = 'posted' THEN NULL ELSE remittance_sealed END
     WHERE book_id = $1 AND id = $2 AND version = $3`,
    [bookId, id, version, status, new Date(now)],
  );
}
