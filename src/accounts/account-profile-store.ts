import type { Instant } from '../clock.ts';
import { column, instantArray, joinedJson, jsonArray, plainArray, rowsOf, textArray } from '../db/columns.ts';
import { updateExactly } from '../db/exactly.ts';
import { newestAccount } from '../db/newest.ts';
import type { Queryable } from '../db/pool.ts';
import type { Uuid } from '../ids.ts';
import type { Account } from '../ledger/account.ts';
import { ACCOUNT_COLUMNS, type AccountRow, accountFromRow } from '../ledger/account-store.ts';
import type { BookId } from '../ledger/book.ts';
import { type Table, WRITE_ORDER } from '../ledger/table.ts';
import type { AccountProfile } from './account-profile.ts';

interface ProfileRow {
  account_id: string;
  currency: string;
  name: string;
  external_id: string | null;
  metadata: Record<string, string>;
  version: number;
  created_at: Instant;
  updated_at: Instant;
}

const COLUMNS = 'account_id, currency, name, external_id, metadata, version, created_at, updated_at';

function profileFromRow(row: ProfileRow): AccountProfile {
  return {
    accountId: row.account_id,
    currency: row.currency,
    name: row.name,
    externalId: row.external_id,
    metadata: row.metadata,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

const INSERT_ACCOUNT_PROFILES = `INSERT INTO account_profiles (book_id, ${COLUMNS})
  SELECT $1, ${rowsOf('uuid', 'text', 'text', 'text', 'jsonb', 'integer', 'timestamptz', 'timestamptz')}`;

export const accountProfiles: Table<AccountProfile> = {
  name: 'account_profiles',
  writeOrder: WRITE_ORDER.resources,
  /** Index: account_profiles_pkey. */
  async load(trx, bookId, ids) {
    const { rows } = await trx.query<ProfileRow>({
      name: 'account_profiles.load',
      text: `SELECT ${COLUMNS} FROM account_profiles WHERE book_id = $1 AND account_id = ANY ($2::uuid[])`,
      values: [bookId, plainArray(ids)],
    });
    return new Map(rows.map((row) => [row.account_id, profileFromRow(row)]));
  },
  async insert(trx, bookId, rows) {
    await trx.query({
      name: 'account_profiles.insert',
      text: INSERT_ACCOUNT_PROFILES,
      values: [
        bookId,
        plainArray(column(rows, (row) => row.accountId)),
        textArray(column(rows, (row) => row.currency)),
        textArray(column(rows, (row) => row.name)),
        textArray(column(rows, (row) => row.externalId)),
        joinedJson(column(rows, (row) => JSON.stringify(row.metadata))),
        plainArray(column(rows, (row) => row.version)),
        instantArray(column(rows, (row) => row.createdAt)),
        instantArray(column(rows, (row) => row.updatedAt)),
      ],
    });
  },
  async update(trx, bookId, rows) {
    await updateExactly(trx, {
      name: 'account_profiles.update',
      text: `UPDATE account_profiles SET name = v.name, external_id = v.external_id, metadata = v.metadata, version = v.version, updated_at = v.updated_at
        FROM unnest($2::uuid[], $3::text[], $4::text[], ${jsonArray('$5')}::jsonb[], $6::integer[], $7::timestamptz[])
          AS v (account_id, name, external_id, metadata, version, updated_at)
        WHERE account_profiles.book_id = $1 AND account_profiles.account_id = ANY ($2::uuid[]) AND account_profiles.account_id = v.account_id`,
      values: [
        bookId,
        plainArray(column(rows, (row) => row.accountId)),
        textArray(column(rows, (row) => row.name)),
        textArray(column(rows, (row) => row.externalId)),
        joinedJson(column(rows, (row) => JSON.stringify(row.metadata))),
        plainArray(column(rows, (row) => row.version)),
        instantArray(column(rows, (row) => row.updatedAt)),
      ],
      rows: rows.length,
    });
  },
};

/** The first account opened in a currency: the source of payouts that name none. */
export interface DefaultAccount {
  readonly currency: string;
  readonly accountId: Uuid;
}

const INSERT_DEFAULT_ACCOUNTS = `INSERT INTO default_accounts (book_id, currency, account_id) SELECT $1, ${rowsOf('text', 'uuid')}`;

export const defaultAccounts: Table<DefaultAccount> = {
  name: 'default_accounts',
  writeOrder: WRITE_ORDER.resourceChildren,
  /** Keyed by currency. Index: default_accounts_pkey. */
  async load(trx, bookId, currencies) {
    const { rows } = await trx.query<{ currency: string; account_id: string }>({
      name: 'default_accounts.load',
      text: 'SELECT currency, account_id FROM default_accounts WHERE book_id = $1 AND currency = ANY ($2::text[])',
      values: [bookId, textArray(currencies)],
    });
    return new Map(rows.map((row) => [row.currency, { currency: row.currency, accountId: row.account_id }]));
  },
  async insert(trx, bookId, rows) {
    await trx.query({
      name: 'default_accounts.insert',
      text: INSERT_DEFAULT_ACCOUNTS,
      values: [
        bookId,
        textArray(column(rows, (row) => row.currency)),
        plainArray(column(rows, (row) => row.accountId)),
      ],
    });
  },
  update() {
    return Promise.reject(new Error('The default account of a currency never changes'));
  },
};

export async function findDefaultAccount(db: Queryable, bookId: BookId, currency: string): Promise<Uuid | undefined> {
  const { rows } = await db.query<{ account_id: string }>({
    name: 'default_accounts.find',
    text: 'SELECT account_id FROM default_accounts WHERE book_id = $1 AND currency = $2',
    values: [bookId, currency],
  });
  return rows[0]?.account_id;
}

export interface CustomerAccount {
  account: Account;
  profile: AccountProfile;
  isDefault: boolean;
}

type CustomerAccountRow = AccountRow & Omit<ProfileRow, 'account_id'> & { is_default: boolean };

/** Ledger account, profile and default flag, joined by primary keys. */
export const CUSTOMER_ACCOUNT_SELECT = `a.id, a.code, a.side, a.currency, a.status, a.posted_debits, a.posted_credits, a.held_debits, a.held_credits, a.floor, a.lines,
  p.name, p.external_id, p.metadata, p.version, p.created_at, p.updated_at, d.account_id IS NOT NULL AS is_default`;
export const CUSTOMER_ACCOUNT_JOIN = `account_profiles p
  JOIN LATERAL (${newestAccount(ACCOUNT_COLUMNS, 'p.book_id', 'p.account_id')}) a ON true
  LEFT JOIN default_accounts d ON d.book_id = p.book_id AND d.currency = p.currency AND d.account_id = p.account_id`;

export function customerAccountFromRow(row: CustomerAccountRow): CustomerAccount {
  return {
    account: accountFromRow(row),
    profile: profileFromRow({ ...row, account_id: row.id }),
    isDefault: row.is_default,
  };
}

export async function findCustomerAccount(
  db: Queryable,
  bookId: BookId,
  id: Uuid,
): Promise<CustomerAccount | undefined> {
  const { rows } = await db.query<CustomerAccountRow>({
    name: 'customer_accounts.find',
    text: `SELECT ${CUSTOMER_ACCOUNT_SELECT} FROM ${CUSTOMER_ACCOUNT_JOIN} WHERE p.book_id = $1 AND p.account_id = $2`,
    values: [bookId, id],
  });
  return rows[0] && customerAccountFromRow(rows[0]);
}
