/**
 * The rows of keys and of their owners, as commands load and write them.
 *
 * Keys also change without the book's lock: a person ends, and operators revoke keys. So both tables are
 * loaded with row locks, under the book's lock, and never ahead of it (`derived`): what a command has seen stays as it is until the
 * commit. Owners are locked before keys, as the end of a person does, and keys in order of their ids. Every change of a key locks
 * the stamp of all keys, so keys are written last: a transaction that has the stamp waits for nothing more.
 */
import { plainArray } from '../db/columns.ts';
import { column } from '../db/declared-columns.ts';
import { type Table, WRITE_ORDER } from '../ledger/rows/table.ts';
import { type DeclaredTable, tableOf } from '../ledger/rows/table-of.ts';
import type { OwnerKind } from '../values/actor.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';
import type { Person } from './person.ts';
import { insertPeople, lockPeopleOf } from './person-store.ts';

/** A key as its row has it. */
export interface StoredKey {
  readonly id: Uuid;
  readonly name: string;
  readonly hash: Buffer;
  readonly prefix: string;
  readonly lastFour: string;
  readonly scopes: readonly string[];
  readonly madeOverApi: boolean;
  readonly allowedIps: readonly string[];
  readonly writesPerSecond: number | null;
  readonly readsPerSecond: number | null;
  readonly expiresAt: Instant | null;
  readonly revokedAt: Instant | null;
  readonly lastUsedAt: Instant | null;
  /** Both null in a key from before keys had owners, until it is adopted: it belongs to the service of its name. */
  readonly ownerId: Uuid | null;
  readonly ownerKind: OwnerKind | null;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

const declared = tableOf<StoredKey>({
  name: 'api_keys',
  key: 'id',
  writeOrder: WRITE_ORDER.keys,
  columns: [
    column('id', 'uuid'),
    column('name', 'text', { notPersonal: 'own_reference' }),
    column('hash', 'bytea'),
    column('prefix', 'text', { notPersonal: 'masked' }),
    column('last_four', 'text', { notPersonal: 'masked' }),
    column('scopes', 'text list', { notPersonal: 'facts' }),
    column('made_over_api', 'boolean'),
    column('allowed_ips', 'text list', { notPersonal: 'address' }),
    column('writes_per_second', 'integer'),
    column('reads_per_second', 'integer'),
    column('expires_at', 'timestamptz', { changes: true }),
    column('revoked_at', 'timestamptz', { changes: true }),
    column('last_used_at', 'timestamptz'),
    column('owner_id', 'uuid'),
    column('owner_kind', 'code'),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});

const LOCKED = `SELECT ${declared.selected()} FROM api_keys WHERE book_id = $1 AND id = ANY ($2::uuid[])
  ORDER BY id FOR NO KEY UPDATE`;

/** Index: api_keys_pkey. */
export const apiKeys: DeclaredTable<StoredKey> = {
  ...declared,
  derived: true,
  async load(db, bookId, ids) {
    const { rows } = await db.query({ name: 'api_keys.load_locked', text: LOCKED, values: [bookId, plainArray(ids)] });
    return new Map(rows.map(declared.fromRow).map((key) => [key.id, key]));
  },
};

/** People and services of the book's organisation. A person cannot end before the commit. */
export const keyOwners: Table<Person> = {
  name: 'people',
  writeOrder: WRITE_ORDER.resources,
  derived: true,
  load: async (trx, bookId, ids) => new Map((await lockPeopleOf(trx, bookId, ids)).map((one) => [one.id, one])),
  insert: (trx, _bookId, rows) => insertPeople(trx, rows),
  update: () => Promise.reject(new Error('Commands make owners of keys, and never change them')),
};
