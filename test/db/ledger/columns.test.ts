/** Columns as array parameters: every value arrives in Postgres unchanged. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { byteaArray, instantArray, joinedJson, jsonArray, plainArray, textArray } from '../../../src/db/columns.ts';
import { arrayOf, type ColumnType, columnValue, encodeColumn } from '../../../src/db/declared-columns.ts';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { createLogger } from '../../../src/process/log.ts';
import { newId } from '../../../src/values/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.applicationUrl, name: 'test', size: 1, log: createLogger('silent', 'test') });
});

afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

const roundTrip = async (type: string, parameter: string) =>
  (
    await pool.query(`SELECT v FROM unnest($1::${type}[]) WITH ORDINALITY AS u (v, at) ORDER BY at`, [parameter])
  ).rows.map(({ v }) => v);

/** Text that Postgres accepts: no NUL, no lone surrogate. Quotes, braces and backslashes are frequent. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom('"', '\\', '{', '}', ',', 'NULL', ' ', '\n', '\u001e', '\u001f', "'"),
      fc.string({ unit: 'grapheme' }),
    ),
  )
  .map((parts) => parts.join('').replaceAll('\u0000', ''))
  .filter((value) => Buffer.from(value).toString() === value);
const list = <T>(value: fc.Arbitrary<T>) => fc.array(fc.option(value), { maxLength: 20 });

test.each<[string, fc.Arbitrary<unknown>, (values: never[]) => string]>([
  ['text', text, textArray],
  ['uuid', fc.uuid(), plainArray],
  ['bigint', fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), plainArray],
  ['integer', fc.integer(), plainArray],
  ['boolean', fc.boolean(), plainArray],
  ['bytea', fc.uint8Array().map((bytes) => Buffer.from(bytes)), byteaArray],
  ['timestamptz', fc.integer({ min: 0, max: Date.parse('9999-12-31T23:59:59.999Z') }), instantArray],
])('%s', async (type, value, write) => {
  await fc.assert(
    fc.asyncProperty(list(value), async (values) => {
      expect(await roundTrip(type, write(values as never[]))).toEqual(values);
    }),
  );
});

test('JSON texts', async () => {
  const json = fc.oneof(fc.dictionary(text, text), fc.array(text), text).map((value) => JSON.stringify(value));
  await fc.assert(
    fc.asyncProperty(list(json), async (values) => {
      const { rows } = await pool.query(
        `SELECT v FROM unnest(${jsonArray('$1::text')}) WITH ORDINALITY AS u (v, at) ORDER BY at`,
        [joinedJson(values)],
      );
      expect(rows.map(({ v }) => v)).toEqual(values);
    }),
  );
});

test('every instant comes back with the same millisecond', async () => {
  const FIRST = Date.UTC(0, 0, 1) - 1_900 * 365 * 86_400_000; // a year of three digits or fewer
  const moments = fc.oneof(
    fc.integer({ min: FIRST, max: Date.UTC(9_999, 11, 31) }),
    fc.constantFrom(0, 500, 590, 593, 60_000),
  );
  await fc.assert(
    fc.asyncProperty(moments, async (moment) => {
      const { rows } = await pool.query('SELECT $1::timestamptz AS moment', [new Date(moment).toISOString()]);
      expect(rows[0].moment).toBe(moment);
    }),
  );
});

const TYPES: readonly ColumnType[] = [
  ...(['uuid', 'code', 'smallint', 'integer', 'bigint', 'boolean', 'timestamptz', 'bytea', 'hex'] as const),
  ...(['text', 'json text', 'jsonb', 'text list'] as const),
];

test.each(TYPES)('a column of type %s without a value in any row costs no list, and is null in each', async (type) => {
  const ids = [newId(), newId(), newId()];
  const keys = encodeColumn({ name: 'id', type: 'uuid', read: (id: string) => id }, ids);
  const values = encodeColumn({ name: 'value', type, read: () => null }, ids);
  expect(values).toBeNull();
  const { rows } = await pool.query(
    `SELECT v.id, v.value IS NULL AS absent, ${columnValue(type, 'v.value')} AS shown
       FROM (SELECT unnest($1::uuid[]), unnest(${arrayOf(type, '$2')})) AS v (id, value)`,
    [keys, values],
  );
  const shown = type === 'text list' ? [] : null;
  expect(rows).toEqual(ids.map((id) => ({ id, absent: true, shown })));
});
