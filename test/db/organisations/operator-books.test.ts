/** The operator's organisation and its two books: one of each, however often and by however many they are made. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import knex from 'knex';
import { beforeEach, describe, expect, test } from 'vitest';
import { knexConfig } from '../../../knexfile.ts';
import * as people from '../../../migrations/0023-people.ts';
import { programOf } from '../../../scripts/harness/programs.ts';
import { createAudit } from '../../../src/audit/audit.ts';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { GROUPS, RIGHTS } from '../../../src/groups.ts';
import { install } from '../../../src/operations/install.ts';
import { findApiKey } from '../../../src/organisations/api-key-store.ts';
import { openOperatorOrganisation, openOrganisation } from '../../../src/organisations/open-organisation.ts';
import { OPERATOR_NAME } from '../../../src/organisations/organisation.ts';
import { operatorBooks } from '../../../src/organisations/organisation-store.ts';
import { serviceOf } from '../../../src/organisations/person.ts';
import { findPerson } from '../../../src/organisations/person-store.ts';
import { createLogger } from '../../../src/process/log.ts';
import { systemClock } from '../../../src/values/clock.ts';
import { newId } from '../../../src/values/ids.ts';
import { verifyDatabase } from '../../../src/verify/verify-database.ts';
import { openBook } from '../../support/book.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const log = createLogger('silent', 'test');
let database: TestDatabase;
let pool: Pool;
/** With the rights that no process of the product has. */
let owner: Pool;

beforeEach(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.applicationUrl, name: 'test', size: 8, log });
  owner = createPool({ url: database.ownerUrl, name: 'test', size: 1, log });
  return async () => {
    await pool.end();
    await owner.end();
    await database.drop();
  };
});

async function withoutOperator(): Promise<void> {
  await owner.query(`
    DELETE FROM books WHERE organisation_id IN (SELECT id FROM organisations WHERE kind = 'operator');
    DELETE FROM organisations WHERE kind = 'operator'`);
}

/** The schema of release 0.2.0, as far as this migration changes it. */
async function asBefore(): Promise<void> {
  await withoutOperator();
  const schema = knex(knexConfig(database.ownerUrl));
  try {
    await people.down(schema);
    await schema('schema_migrations').where('name', '0023-people').delete();
  } finally {
    await schema.destroy();
  }
}

const operators = async () =>
  (
    await pool.query(
      `SELECT o.name, count(*)::int AS books, sum(entry_sequence + event_sequence)::int AS rows
       FROM organisations o JOIN books b ON b.organisation_id = o.id WHERE o.kind = 'operator' GROUP BY o.id`,
    )
  ).rows;
const ONE_WITHOUT_ENTRIES = [{ name: OPERATOR_NAME, books: 2, rows: 0 }];

/** `npm run migrate`, in a process of its own. */
async function migrateInAProcess(): Promise<number | null> {
  const child = spawn(process.execPath, programOf('scripts/migrate.ts'), {
    env: {
      PATH: process.env.PATH,
      DATABASE_OWNER_URL: database.ownerUrl,
      DATABASE_URL: database.applicationUrl,
      SIGNER_DATABASE_URL: database.signerUrl,
    },
    stdio: 'ignore',
  });
  await once(child, 'close');
  return child.exitCode;
}

describe('the operator has one organisation', () => {
  test('from the first migration on, in two processes at once', async () => {
    expect(await operators()).toEqual(ONE_WITHOUT_ENTRIES);
    await asBefore();
    expect(await Promise.all([migrateInAProcess(), migrateInAProcess()])).toEqual([0, 0]);
    expect(await operators()).toEqual(ONE_WITHOUT_ENTRIES);
  });

  test('also when it is made many times at the same moment', async () => {
    await withoutOperator();
    await expect(operatorBooks(pool)).rejects.toThrow(/npm run migrate/);
    // All connections are open by then, so that nobody is ahead.
    const connections = await Promise.all(Array.from({ length: 8 }, () => pool.connect()));
    for (const connection of connections) connection.release();
    const made = await Promise.all(Array.from({ length: 8 }, () => openOperatorOrganisation(pool, systemClock)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(await operators()).toEqual(ONE_WITHOUT_ENTRIES);
  });

  test('which Postgres itself keeps the only one', async () => {
    const second = `INSERT INTO organisations (id, kind, name, created_at) VALUES ('${newId()}', 'operator', 'Second', now())`;
    await expect(pool.query(second)).rejects.toThrow(/organisations_operator/);
  });

  test('which no name opens', async () => {
    const customer = await openOrganisation(pool, { name: OPERATOR_NAME, clock: systemClock });
    const operator = await openOperatorOrganisation(pool, systemClock);
    expect(customer).toMatchObject({ kind: 'customer' });
    expect(operator).toMatchObject({ kind: 'operator' });
    expect(operator.id).not.toBe(customer.id);
  });
});

describe("an operator's book", () => {
  test.each(['test', 'live'] as const)('is verified and audited like any other: %s', async (mode) => {
    const bookId = (await operatorBooks(pool))[mode];
    const findings: string[] = [];
    const verify = () =>
      verifyDatabase(pool, { groups: GROUPS, onFinding: ({ check, book }) => findings.push(`${check} ${book}`) });
    expect(await verify()).toMatchObject({ books: 2, findings: 0 });
    await owner.query('UPDATE books SET entry_sequence = 1 WHERE id = $1', [bookId]);
    await verify();
    expect(findings).toContain(`journal.sequence ${bookId}`);

    const kinds = new Set<string>();
    const audit = createAudit({
      groups: GROUPS,
      pool,
      clock: systemClock,
      log,
      counts: {
        rows: () => undefined,
        findings: (byKind) => {
          for (const kind of byKind.keys()) kinds.add(kind);
        },
        round: () => undefined,
      },
    });
    while (!(await audit.turn()));
    expect([...kinds]).toContain('journal.sequence');
  });
});

test('a migration gives what release 0.2.0 wrote its owner and its book', async () => {
  const customer = await openBook({ database: pool });
  await customer.account({ amount: 5n });
  await asBefore();
  const keyOf = async (name: string) => {
    const id = newId();
    await pool.query(
      `INSERT INTO api_keys (book_id, id, name, hash, prefix, last_four, scopes, created_at)
       VALUES ($1, $2, $3, sha256($4), 'sk_test_', '0000', '{*}', now())`,
      [customer.id, id, name, Buffer.from(id)],
    );
    return id;
  };
  const foreignNotice = () =>
    pool.query(
      `INSERT INTO foreign_notices (rail, id, originator, notice, created_at)
       SELECT 'sandbox', gen_random_uuid(), 'others', '{}', now() FROM generate_series(1, 1100)`,
    );
  const [first, second] = [await keyOf('shop'), await keyOf('till')];
  await foreignNotice();
  const urls = { ownerUrl: database.ownerUrl, applicationUrl: database.applicationUrl, signerUrl: database.signerUrl };
  expect((await install({ rights: RIGHTS, ...urls, log })).applied).toEqual(['0023-people']);

  // Its processes still run: they write rows without an owner and without a book.
  const third = await keyOf('shop');
  await foreignNotice();
  expect((await install({ rights: RIGHTS, ...urls, log })).applied).toEqual([]);

  const organisationId = (await findApiKey(pool, first))!.organisationId;
  const [shop, till] = [serviceOf(organisationId, 'shop', 0), serviceOf(organisationId, 'till', 0)];
  expect(await findPerson(pool, shop.id)).toMatchObject({ kind: 'service', name: 'shop', endedAt: null });
  const { rows } = await pool.query('SELECT id, owner_id FROM api_keys ORDER BY id');
  expect(rows).toEqual([
    { id: first, owner_id: shop.id },
    { id: second, owner_id: till.id },
    { id: third, owner_id: shop.id },
  ]);
  const places = await pool.query('SELECT book_id, count(*)::int AS notices FROM foreign_notices GROUP BY book_id');
  expect(places.rows).toEqual([{ book_id: (await operatorBooks(pool)).test, notices: 2_200 }]);
  expect(await verifyDatabase(pool, { groups: GROUPS, onFinding: () => undefined })).toMatchObject({
    books: 4,
    findings: 0,
  });
  await customer.close();
});
