/**
 * What is exported is imported by another file of the product or of the tests. A type may also be exported because a
 * signature of its own file names it. What of src only tests import is a part that its own file uses: nothing of src is there for tests alone.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDERS = ['src', 'workers', 'scripts', 'migrations', 'test'];
/** Found by their names: migrations by knex, generated clients by their generators. */
const FOUND_BY_NAME = /^migrations\/\d{4}-|^test\/e2e\/generated-client\//;
/** Found by their names: the tables of the diagrams of docs/states.md. */
const IS_DRAWN = /_TRANSITIONS$/;
/** Facts about a table or a text of their file, that only a test can hold it against. */
const FACTS_FOR_TESTS = [
  'src/money/withdrawn-currencies.ts: WITHDRAWN_AS_OF',
  // Read by .dependency-cruiser.cjs.
  /^src\/[a-z]+\/index\.ts: NOUNS$/,
];
/** Files of a copy of the tree. */
const PLANTED = /^test\/planted\/[^/]+\/files\//;
const EVERYTHING = '*';

interface Module {
  readonly path: string;
  readonly source: ts.SourceFile;
}

function readModules(): Module[] {
  const paths = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  ).filter((path) => /\.tsx?$/.test(path) && !PLANTED.test(path));
  return [...paths, 'knexfile.ts', 'vitest.config.ts'].map((path) => ({ path, source: parse(path) }));
}

const parse = (path: string) =>
  ts.createSourceFile(path, readFileSync(join(ROOT, path), 'utf8'), ts.ScriptTarget.Latest, true);

interface Exported {
  readonly name: string;
  readonly isType: boolean;
}

function exportsOf({ source }: Module): Exported[] {
  return source.statements.flatMap((statement): Exported[] => {
    if (ts.isExportDeclaration(statement) && statement.exportClause && ts.isNamedExports(statement.exportClause))
      return statement.exportClause.elements.map(({ name }) => ({ name: name.text, isType: false }));
    const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
    const kinds = modifiers.map(({ kind }) => kind);
    if (!kinds.includes(ts.SyntaxKind.ExportKeyword) || kinds.includes(ts.SyntaxKind.DefaultKeyword)) return [];
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map(({ name }) => ({ name: name.getText(), isType: false }));
    const { name } = statement as ts.DeclarationStatement;
    const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
    return name ? [{ name: name.getText(), isType }] : [];
  });
}

/** What a module takes of others, by path: a name, or everything. */
function* importsOf({ path, source }: Module): Generator<[from: string, name: string]> {
  const at = (specifier: ts.Expression) => join(dirname(path), (specifier as ts.StringLiteral).text);
  const isOurs = (specifier: ts.Expression | undefined): specifier is ts.Expression =>
    specifier !== undefined && ts.isStringLiteral(specifier) && specifier.text.startsWith('.');
  for (const statement of source.statements) {
    if (ts.isExportDeclaration(statement) && isOurs(statement.moduleSpecifier)) {
      const { exportClause, moduleSpecifier } = statement;
      const named = exportClause && ts.isNamedExports(exportClause) ? exportClause.elements : undefined;
      if (!named) yield [at(moduleSpecifier), EVERYTHING];
      for (const { name, propertyName } of named ?? []) yield [at(moduleSpecifier), (propertyName ?? name).text];
    }
    if (!ts.isImportDeclaration(statement) || !isOurs(statement.moduleSpecifier)) continue;
    const bindings = statement.importClause?.namedBindings;
    if (bindings && ts.isNamedImports(bindings))
      for (const { name, propertyName } of bindings.elements)
        yield [at(statement.moduleSpecifier), (propertyName ?? name).text];
    else if (bindings)
      for (const [, name] of source.text.matchAll(new RegExp(`\\b${bindings.name.text}\\.(\\w+)`, 'g')))
        yield [at(statement.moduleSpecifier), name!];
  }
  for (const [, specifier] of source.text.matchAll(/\bimport\(\s*'(\.[^']+)'\s*\)/g))
    yield [join(dirname(path), specifier!), EVERYTHING];
}

/** The names that files import of each other, by the path of the file that has them. */
function takenBy(modules: readonly Module[]): Map<string, Set<string>> {
  const taken = new Map<string, Set<string>>();
  for (const module of modules)
    for (const [from, name] of importsOf(module)) taken.set(from, (taken.get(from) ?? new Set()).add(name));
  return taken;
}

function deadExports(modules: readonly Module[]): string[] {
  const taken = takenBy(modules);
  const takenByProduct = takenBy(modules.filter(({ path }) => !path.startsWith('test/')));
  return modules
    .filter(({ path }) => !FOUND_BY_NAME.test(path))
    .flatMap((module) => {
      const has = (by: typeof taken, name: string) =>
        by.get(module.path)?.has(name) === true || by.get(module.path)?.has(EVERYTHING) === true;
      const isForTests = (name: string) =>
        module.path.startsWith('src/') && !has(takenByProduct, name) && !isNamedHere(name);
      const isNamedHere = (name: string) =>
        [...module.source.text.matchAll(new RegExp(`\\b${name}\\b`, 'g'))].length > 1;
      return exportsOf(module)
        .filter(({ name, isType }) => isForTests(name) || (!has(taken, name) && !(isType && isNamedHere(name))))
        .filter(({ name }) => !IS_DRAWN.test(name))
        .map(({ name }) => `${module.path}: ${name}`)
        .filter((one) => !FACTS_FOR_TESTS.some((fact) => (typeof fact === 'string' ? fact === one : fact.test(one))));
    });
}

test('nothing is exported that nobody imports', () => {
  const modules = readModules();
  expect(modules.length).toBeGreaterThan(500);
  expect(deadExports(modules)).toEqual([]);
});

test('an export that nobody imports is found', () => {
  const module = (path: string, text: string) => ({
    path,
    source: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true),
  });
  const made = module(
    'src/made.ts',
    'export const used = 1; export function unused() {} export interface Named {} export const of: Named = {}; export type Lost = 1; const inner = 1; export { inner as outer };',
  );
  const user = module('src/user.ts', "import { used } from './made.ts'; import * as made from './made.ts'; made.of;");
  expect(deadExports([made, user])).toEqual(['src/made.ts: unused', 'src/made.ts: Lost', 'src/made.ts: outer']);
});

test('an export of src that only tests import is found, but for a part that its file uses', () => {
  const module = (path: string, text: string) => ({
    path,
    source: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true),
  });
  const made = module('src/made.ts', 'export const part = 1; export const whole = part; export const alone = 2;');
  const user = module('src/user.ts', "import { whole } from './made.ts'; whole;");
  const tested = module('test/made.test.ts', "import { alone, part } from '../src/made.ts'; alone + part;");
  expect(deadExports([made, user, tested])).toEqual(['src/made.ts: alone']);
});
