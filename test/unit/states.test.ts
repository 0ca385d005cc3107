/**
 * The diagrams of docs/states.md are the transition tables of the code: every `…_TRANSITIONS` has a section that names
 * it, with every step and no other.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const TABLE = /^export const (\w+_TRANSITIONS)\b/gm;

type Table = Readonly<Record<string, readonly string[] | undefined>>;

/** Every transition table, by the name under which it is exported. */
async function readTables(): Promise<Map<string, Table>> {
  const tables = new Map<string, Table>();
  for (const entry of readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !path.endsWith('.ts')) continue;
    for (const [, name] of readFileSync(path, 'utf8').matchAll(TABLE))
      tables.set(name!, ((await import(path)) as Record<string, Table>)[name!]!);
  }
  return tables;
}

/** The lines of each diagram, by the table that its section names. */
function readDiagrams(page: string): Map<string, string[]> {
  const sections = page.split(/^## /m).slice(1);
  return new Map(
    sections.map((section) => {
      const name = /\(`(\w+)`\)/.exec(section)?.[1] ?? section;
      const diagram = /```mermaid\n([\s\S]*?)```/.exec(section)?.[1] ?? '';
      return [name, [...diagram.matchAll(/^\s*(\S+ --> \S+)$/gm)].map(([, step]) => step!)];
    }),
  );
}

const tables = await readTables();
const diagrams = readDiagrams(readFileSync(join(ROOT, 'docs/states.md'), 'utf8'));
const stepsOf = (table: Table) =>
  Object.entries(table).flatMap(([from, states = []]) => states.map((to) => `${from} --> ${to}`));

test('every transition table has a diagram, and every diagram a table', () => {
  expect(tables.size).toBeGreaterThan(0);
  expect([...diagrams.keys()].sort()).toEqual([...tables.keys()].sort());
});

test.each([...tables])('the diagram of %s has its steps and no other', (name, table) => {
  const steps = (diagrams.get(name) ?? []).filter((step) => !step.startsWith('[*]'));
  expect(steps.toSorted()).toEqual(stepsOf(table).toSorted());
});

test.each([...tables])('the diagram of %s begins in one of its states, and every state is reached', (name, table) => {
  const begins = (diagrams.get(name) ?? []).filter((step) => step.startsWith('[*] --> '));
  const reached = new Set([...begins, ...stepsOf(table)].map((step) => step.split(' --> ')[1]!));
  expect(begins.length).toBeGreaterThan(0);
  const states = new Set(Object.entries(table).flatMap(([from, to = []]) => [from, ...to]));
  expect([...reached].toSorted()).toEqual([...states].toSorted());
});
