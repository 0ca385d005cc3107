/** What is found by the declarations of tables: nothing that is declared is left out. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { DECLARED_LOGS, DECLARED_TABLES } from '../../src/declared-tables.ts';
import { writeJson } from '../../src/json.ts';
import { ERASABLE } from '../../src/operations/erasable.ts';
import { placesOf } from '../../src/operations/erase.ts';
import { nullMembers } from '../../src/operations/null-members.ts';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));

interface Declared {
  readonly name: string;
  readonly columns: readonly { name: string; personal?: true; sealed?: true }[];
}
const declared: readonly Declared[] = [...DECLARED_TABLES, ...DECLARED_LOGS];

test('every table and log that is declared is listed', () => {
  const names = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => [
      ...readFileSync(join(SRC, path), 'utf8').matchAll(/= (?:tableOf|logOf)<[^(]*\(\{\s*name: '(\w+)'/g),
    ])
    .map(([, name]) => name!);
  expect(names.sort()).toEqual(declared.map(({ name }) => name).sort());
});

test('every personal column is emptied by the erasure of some object', () => {
  const personal = declared.flatMap((table) =>
    table.columns.filter((column) => column.personal).map((column) => `${table.name}.${column.name}`),
  );
  const emptied = new Set(ERASABLE.flatMap((kind) => placesOf(kind).flatMap(({ columns }) => columns)));
  expect(personal.filter((name) => !emptied.has(name))).toEqual([]);
});

test('a sealed column has a name that says so, which is how a test finds it in the database', () => {
  for (const { columns } of declared)
    for (const column of columns) expect(column.name.includes('sealed'), column.name).toBe(column.sealed === true);
});

test.each`
  text                                                                         | erased
  ${'{"name":"Ann","n":1}'}                                                    | ${'{"name":null,"n":1}'}
  ${'{"data":{"object":{"metadata":{"a":"}\\""},"x":2}}}'}                     | ${'{"data":{"object":{"metadata":null,"x":2}}}'}
  ${'{"data":{"object":{},"previous_attributes":{"name":"A","metadata":{}}}}'} | ${'{"data":{"object":{},"previous_attributes":{"name":null,"metadata":{}}}}'}
  ${'{"journal_entries":[{"name":"kept"}],"name":12345678901234567890}'}       | ${'{"journal_entries":[{"name":"kept"}],"name":null}'}
  ${'{"destination":{"name":"kept"},"text":"\\"name\\":\\"kept\\""}'}          | ${'{"destination":{"name":"kept"},"text":"\\"name\\":\\"kept\\""}'}
`('$text is erased as $erased', ({ text, erased }) => {
  expect(nullMembers(text, new Set(['name', 'metadata']))).toBe(erased);
});

test('a marker is written for what stands apart, and nothing but text apart makes two forms', () => {
  const plain = writeJson({ a: [1n, null], b: 'x' });
  expect(plain.text).toBe(plain.keptText);
  expect(plain.apart).toEqual([]);
});
