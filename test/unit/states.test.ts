/**
 * The diagrams of docs/states.md are the transition tables of the code: every `…_TRANSITIONS` has a section that names
 * it, with every step and no other. `npx vitest run test/unit/states.test.ts -u` draws what is missing; the sentences
 * below a diagram are written by hand.
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

const PAGE = join(ROOT, 'docs/states.md');
const DIAGRAM = /```mermaid\n([\s\S]*?)```/;
const INITIAL = '[*]';

const tables = await readTables();
const stepsOf = (table: Table) =>
  Object.entries(table).flatMap(([from, states = []]) => states.map((to) => `${from} --> ${to}`));
/** The lines of a diagram that are steps. */
const drawnIn = (diagram: string) => [...diagram.matchAll(/^\s*(\S+ --> \S+)$/gm)].map(([, step]) => step!);
const tableNamed = (section: string) => /\(`(\w+)`\)/.exec(section)?.[1] ?? section;

const page = readFileSync(PAGE, 'utf8');
const SECTION = /^(?=## )/m;
const sectionsOf = (text: string) => text.split(SECTION).slice(1);

/** The page as the tables have it. A diagram that is right stays as it is drawn. */
function wantedPage(): string {
  const [head] = page.split(SECTION);
  const sections = sectionsOf(page);
  const named = new Set(sections.map(tableNamed));
  const missing = [...tables].filter(([name]) => !named.has(name)).map(([name, table]) => newSection(name, table));
  const kept = sections.filter((section) => tables.has(tableNamed(section))).map(corrected);
  return `${[head!, ...kept, ...missing].map((part) => part.trimEnd()).join('\n\n')}\n`;
}

function corrected(section: string): string {
  const drawn = drawnIn(DIAGRAM.exec(section)?.[1] ?? '');
  const steps = stepsOf(tables.get(tableNamed(section))!);
  const known = drawn.filter((step) => !step.startsWith(INITIAL));
  if (known.toSorted().join() === steps.toSorted().join()) return section;
  const name = /state "(.+)" as/.exec(section)?.[1] ?? 'object';
  return section.replace(DIAGRAM, diagram(name, [...drawn.filter((step) => step.startsWith(INITIAL)), ...steps]));
}

/** Begins in the first state of the table. */
function newSection(tableName: string, table: Table): string {
  const name = tableName.replace('_TRANSITIONS', '').toLowerCase().replaceAll('_', ' ');
  const title = `${name[0]!.toUpperCase()}${name.slice(1)}${name.endsWith('ch') ? 'es' : 's'}`;
  const steps = [`${INITIAL} --> ${Object.keys(table)[0]}`, ...stepsOf(table)];
  return `## ${title} (\`${tableName}\`)\n\n${diagram(name, steps)}\n`;
}

function diagram(name: string, steps: readonly string[]): string {
  const lines = steps.map((step) => `    ${step}`).join('\n');
  return `\`\`\`mermaid\nstateDiagram-v2\n  state "${name}" as ${name.replaceAll(' ', '_')} {\n${lines}\n  }\n\`\`\``;
}

test('every transition table has a diagram with its steps and no other, and every diagram a table', async () => {
  expect(tables.size).toBeGreaterThan(0);
  await expect(wantedPage()).toMatchFileSnapshot(PAGE);
});

const diagrams = new Map(
  sectionsOf(wantedPage()).map((section) => [tableNamed(section), drawnIn(DIAGRAM.exec(section)?.[1] ?? '')]),
);

test.each([...tables])('the diagram of %s begins in one of its states, and every state is reached', (name, table) => {
  const begins = (diagrams.get(name) ?? []).filter((step) => step.startsWith('[*] --> '));
  const reached = new Set([...begins, ...stepsOf(table)].map((step) => step.split(' --> ')[1]!));
  expect(begins.length).toBeGreaterThan(0);
  const states = new Set(Object.entries(table).flatMap(([from, to = []]) => [from, ...to]));
  expect([...reached].toSorted()).toEqual([...states].toSorted());
});
