/** What is found by the declarations of tables: nothing that is declared is left out. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { ColumnType } from '../../src/db/declared-columns.ts';
import { RESOURCES, TABLES_AND_LOGS } from '../../src/groups.ts';
import { hasPersonalText } from '../../src/ledger/resources/declared-resource.ts';
import { erasableKinds } from '../../src/operations/erasable.ts';
import { placesOf } from '../../src/operations/erase.ts';
import { childrenOf } from '../../src/operations/erase-store.ts';
import { nullMembers } from '../../src/operations/null-members.ts';
import { writeJson } from '../../src/values/json.ts';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));

interface Declared {
  readonly name: string;
  readonly columns: readonly { name: string; type: ColumnType; personal?: true; notPersonal?: string; sealed?: true }[];
}
const declared: readonly Declared[] = TABLES_AND_LOGS;
const erasable = erasableKinds(RESOURCES).map(({ resource }) => resource);

test("every table and log that is declared is its group's", () => {
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
  const emptied = new Set(erasable.flatMap((one) => placesOf(one).flatMap(({ columns }) => columns)));
  expect(personal.filter((name) => !emptied.has(name))).toEqual([]);
});

test('every text is personal, or its declaration says why it is not', () => {
  const texts: readonly ColumnType[] = ['text', 'json text', 'jsonb', 'text list'];
  const undecided = declared.flatMap((table) =>
    table.columns
      .filter(
        ({ type, personal, notPersonal }) =>
          texts.includes(type) && (personal === true) === (notPersonal !== undefined),
      )
      .map(({ name }) => `${table.name}.${name}`),
  );
  expect(undecided).toEqual([]);
});

test('what has personal text is erased by an id of its own, and with what it belongs to', () => {
  for (const table of declared.filter(({ columns }) => columns.some(({ personal }) => personal))) {
    const shown = RESOURCES.filter((resource) => resource.table.name === table.name);
    const own = shown.filter((one) => erasable.includes(one));
    if (shown.length > 0) expect(own.length, table.name).toBeGreaterThan(0);
    for (const { name, parent } of own) {
      const owner = parent && RESOURCES.find((one) => one.name === parent.name)!;
      if (!owner) continue;
      const ofParent = hasPersonalText(owner) ? placesOf(owner).flatMap(({ columns }) => columns) : [];
      const isEmptied = table.columns.every(
        ({ name: column, personal }) => !personal || ofParent.includes(`${table.name}.${column}`),
      );
      const children = childrenOf(owner, RESOURCES).map(({ resource }) => resource.name);
      expect(isEmptied || children.includes(name), name).toBe(true);
    }
  }
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
