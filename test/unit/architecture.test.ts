/**
 * The rules of the code that import statements cannot express (STYLE.md, DESIGN.md §5): where SQL is, how files are
 * named, how long they are, which files read the environment. Also tests that the rules of .dependency-cruiser.cjs
 * report violations.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAX_LINES = 400;
const MAX_FUNCTION_LINES = 70;

interface SourceFile {
  path: string;
  text: string;
}

function filesOf(...folders: string[]): SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => ({ path: relative(ROOT, path), text: readFileSync(path, 'utf8') })),
  );
}

/** What is about every group. */
const OF_ALL_GROUPS = ['planted-group.test.ts'];

const product = filesOf('src', 'workers', 'scripts', 'migrations');
const everything = [...product, ...filesOf('test')];

/** Every string of a file. Templates have a $ in place of each expression. */
function textsIn({ path, text }: SourceFile): string[] {
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) texts.push(node.text);
    if (ts.isTemplateExpression(node)) {
      texts.push([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('$'));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  return texts;
}

/** An SQL statement: in capitals anywhere in a text, in lower case at its beginning. */
const STATEMENT =
  /\bSELECT\s[\s\S]*\bFROM\b|\bINSERT\s+INTO\s|\bUPDATE\s+\S+\s+(AS\s+\w+\s+)?SET\s|\bDELETE\s+FROM\s|\bTRUNCATE\s+\w|\b(CREATE|ALTER|DROP)\s+(TABLE|INDEX|SCHEMA|TRIGGER|FUNCTION)\b|^\s*SELECT\s|^\s*WITH\s+(RECURSIVE\s+)?\w+\s+AS\s|^(select|insert into|update|delete from|with)\s[\s\S]*\b(from|values|set)\b/;

describe('SQL stands in stores, tables, src/db and migrations, and nowhere else', () => {
  const isItsPlace = (path: string) =>
    /-(store|tables?)\.ts$|^src\/(db\/|ledger\/(rows\/(table-of|table-statements)|resources\/list-rows)\.ts$)|^migrations\//.test(
      path,
    );

  test('no other file contains a statement', () => {
    const found = product
      .filter(({ path }) => !isItsPlace(path))
      .flatMap((file) =>
        textsIn(file)
          .filter((text) => STATEMENT.test(text))
          .map((text) => `${file.path}: ${text.trim().slice(0, 80)}`),
      );
    expect(found).toEqual([]);
  });

  test('no other file queries the database', () => {
    const speaks = product.filter(({ path, text }) => !isItsPlace(path) && /\.(query|raw)\(/.test(text));
    expect(speaks.map(({ path }) => path)).toEqual([]);
  });

  test.each`
    text                                                    | is
    ${'SELECT id FROM books'}                               | ${true}
    ${'SELECT 1'}                                           | ${true}
    ${'\n      SELECT id,\n        name\n      FROM books'} | ${true}
    ${'UPDATE payouts SET due_at = NULL'}                   | ${true}
    ${'UPDATE webhook_deliveries AS delivery SET due_at'}   | ${true}
    ${'DELETE FROM entries'}                                | ${true}
    ${'WITH due AS (SELECT 1) SELECT * FROM due'}           | ${true}
    ${'select id from books'}                               | ${true}
    ${'TRUNCATE entries'}                                   | ${true}
    ${'DROP TABLE books'}                                   | ${true}
    ${'Select an account from the list'}                    | ${false}
    ${'Update the account'}                                 | ${false}
    ${'UPDATE'}                                             | ${false}
    ${'select'}                                             | ${false}
    ${'It goes with the payout'}                            | ${false}
  `('"$text" is a statement: $is', ({ text, is }) => {
    expect(STATEMENT.test(text)).toBe(is);
  });
});

describe('files', () => {
  test('are named in kebab-case, after their contents', () => {
    const odd = everything.filter(
      ({ path }) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.timing)?(\.test)?\.tsx?$/.test(basename(path)),
    );
    const vague = everything.filter(({ path }) =>
      /(^|[-/])(utils?|common|helpers?|managers?|services?)([-./]|$)/.test(path.replace(/\.tsx?$/, '')),
    );
    expect([...odd, ...vague].map(({ path }) => path)).toEqual(NAMES_ALLOWED);
  });

  test(`have ${MAX_LINES} lines at most`, () => {
    const long = product
      .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
      .filter(({ lines }) => lines > MAX_LINES);
    expect(long).toEqual([]);
  });

  /** Functions and their lines, without those of functions within them: a factory may return many. */
  function functionsIn({ path, text }: SourceFile): { at: string; lines: number }[] {
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    const lineOf = (position: number) => file.getLineAndCharacterOfPosition(position).line;
    const found: { at: string; lines: number }[] = [];
    /** The lines of functions below a node, but for the line on which each of them begins. */
    const visit = (node: ts.Node): number => {
      let within = 0;
      ts.forEachChild(node, (child) => {
        within += visit(child);
      });
      if (!ts.isFunctionLike(node) || !('body' in node)) return within;
      const begin = lineOf(node.getStart(file));
      const spans = lineOf(node.end) - begin;
      found.push({ at: `${path}:${begin + 1}`, lines: spans + 1 - within });
      return spans;
    };
    visit(file);
    return found;
  }

  test(`have functions of ${MAX_FUNCTION_LINES} lines at most, but for migrations`, () => {
    const code = product.filter(({ path }) => !path.startsWith('migrations/'));
    const long = code.flatMap(functionsIn).filter(({ lines }) => lines > MAX_FUNCTION_LINES);
    expect(long).toEqual([]);
  });

  test('a function is counted without the functions within it', () => {
    const text = 'function outer() {\n  const inner = () => {\n    return 1;\n  };\n  return inner;\n}\n';
    expect(functionsIn({ path: 'planted.ts', text })).toEqual([
      { at: 'planted.ts:2', lines: 3 },
      { at: 'planted.ts:1', lines: 4 },
    ]);
  });

  test('import with the file extension that Node needs', () => {
    const bare = product.flatMap(({ path, text }) =>
      [...text.matchAll(/from '(\.[^']+)'/g)]
        .filter(([, to]) => !/\.(ts|tsx|json)$/.test(to!))
        .map(([line]) => `${path}: ${line}`),
    );
    expect(bare).toEqual([]);
  });

  /** The object with the parts of an HTTP API is called its services. It is not a layer. */
  const NAMES_ALLOWED = ['src/http/pipeline/services.ts'];
});

describe('tests lie where what they test lies', () => {
  const foldersOf = (path: string) =>
    readdirSync(join(ROOT, path), { withFileTypes: true }).filter((entry) => entry.isDirectory());

  test.each(['', 'scripts'])('test/unit/%s has only folders that are there', (part) => {
    const beside = part === '' ? ['scripts'] : [];
    const known = foldersOf(part === '' ? 'src' : part).map(({ name }) => name);
    const found = foldersOf(join('test/unit', part)).map(({ name }) => name);
    expect(found.filter((name) => ![...known, ...beside].includes(name))).toEqual([]);
  });

  test('test/db has a folder for each group, and beside them what is about all groups', () => {
    const known = [...foldersOf('src').map(({ name }) => name), 'platform'];
    const entries = readdirSync(join(ROOT, 'test/db'), { withFileTypes: true });
    const files = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
    expect(files.filter((name) => !OF_ALL_GROUPS.includes(name))).toEqual([]);
    expect(entries.map(({ name }) => name).filter((name) => !known.includes(name) && !files.includes(name))).toEqual(
      [],
    );
  });
});

describe('no clock and no chance decides a test, but in *.timing.test.ts', () => {
  /** Expressions that bring them back, by what they are. A file may have those that are named here, each for its reason. */
  const REFUSED: Readonly<Record<string, readonly string[]>> = {
    /** "At least" holds on every machine, however slow. Two clocks are compared, no duration is measured. */
    duration: ['test/db/platform/database-clock.test.ts'],
    /** One limit for all waits: `until`, `eventually`, `expect.poll`. */
    wait: [
      'test/support/eventually.ts',
      // Until midnight is over, where it is near: examples count whole days.
      'test/e2e/transcript.test.ts',
    ],
    /** What is drawn comes from scripts/harness/seed.ts. */
    random: [],
    /** Programs of integrators, who have no `until`. Time that the test sets. */
    sleep: [
      'test/e2e/generated-client/hey-api.ts',
      'test/e2e/generated-client/openapi-fetch.ts',
      'test/unit/outside/call-limits.test.ts',
      // Turns of its timers are what the process is about.
      'test/support/hurried-worker.ts',
    ],
    /** From the range of outgoing connections. `ownPort` is not. */
    port: [],
    /** Models and random journals run as long as they are asked to. */
    limit: [
      'test/db/reconciliation/random-banks.test.ts',
      'test/model/ledger.test.ts',
      'test/model/schedule.test.ts',
      'test/e2e/transcript.test.ts',
    ],
    config: [],
  };

  const nameOf = (node: ts.Expression): string =>
    ts.isIdentifier(node)
      ? node.text
      : ts.isPropertyAccessExpression(node)
        ? `${nameOf(node.expression)}.${node.name.text}`
        : ts.isCallExpression(node)
          ? `${nameOf(node.expression)}()`
          : '';

  const isClock = (node: ts.Node): boolean =>
    ts.isCallExpression(node) && /^(performance|Date)\.now$/.test(nameOf(node.expression));

  /** Whether a node subtracts times, one of which is that of now. */
  function subtractsNow(node: ts.Node): boolean {
    const isMinus = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.MinusToken;
    if (isMinus && (isClock(node.left) || isClock(node.right))) return true;
    return ts.forEachChild(node, (child) => subtractsNow(child) || undefined) ?? false;
  }

  /** A timer that only ends a promise: `new Promise((resolve) => setTimeout(resolve, 50))`. */
  function isSleep(call: ts.CallExpression): boolean {
    let within: ts.Node = call.parent;
    while (within.parent && !ts.isFunctionLike(within)) within = within.parent;
    if (!ts.isFunctionLike(within) || !within.parent || !ts.isNewExpression(within.parent)) return false;
    const [ends] = within.parameters;
    return ends !== undefined && call.arguments[0]?.getText() === ends.name.getText();
  }

  const RUNS = /^(test|it|beforeAll|beforeEach|afterAll|afterEach)\b/;
  /** For processes that are killed. */
  const LIMITS_OF_WAITS = /^(FAULT_)?PATIENCE_MS$/;

  /** A number, the name of one, or an expression of them: `3 * 60_000`. */
  function isDuration(node: ts.Expression | undefined): boolean {
    if (node === undefined) return false;
    if (ts.isBinaryExpression(node)) return isDuration(node.left) || isDuration(node.right);
    if (ts.isParenthesizedExpression(node)) return isDuration(node.expression);
    return ts.isNumericLiteral(node) || /_MS$/.test(nameOf(node));
  }

  /** What the wait was given in the place of the one limit of all waits. */
  function hasOwnLimit(call: ts.CallExpression): boolean {
    const [, , limit] = call.arguments;
    if (limit === undefined || !ts.isObjectLiteralExpression(limit)) return false;
    const [given] = limit.properties;
    return given !== undefined && !(ts.isPropertyAssignment(given) && LIMITS_OF_WAITS.test(nameOf(given.initializer)));
  }

  /** Names of variables that hold a duration, and names under which timers that end a promise were imported. */
  interface Names {
    readonly durations: ReadonlySet<string>;
    readonly pauses: ReadonlySet<string>;
  }

  function namesIn(file: ts.SourceFile): Names {
    const [durations, pauses] = [new Set<string>(), new Set<string>()];
    const visit = (node: ts.Node): void => {
      if (
        ts.isVariableDeclaration(node) &&
        ts.isIdentifier(node.name) &&
        node.initializer &&
        isPassed(node.initializer)
      )
        durations.add(node.name.text);
      if (
        ts.isImportDeclaration(node) &&
        /^(node:)?timers\/promises$/.test((node.moduleSpecifier as ts.StringLiteral).text)
      ) {
        const bindings = node.importClause?.namedBindings;
        if (bindings && ts.isNamedImports(bindings))
          for (const { name, propertyName } of bindings.elements)
            if ((propertyName ?? name).text === 'setTimeout') pauses.add(name.text);
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
    return { durations, pauses };
  }

  /** `performance.now() - began`, itself. */
  function isPassed(node: ts.Expression): boolean {
    return ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.MinusToken && isClock(node.left);
  }

  function kindOf(call: ts.CallExpression, { durations, pauses }: Names): string | undefined {
    const name = nameOf(call.expression);
    const last = call.arguments.at(-1);
    if (name === 'Math.random') return 'random';
    if (name === 'freePort') return 'port';
    if (name === 'vi.waitFor' || name === 'vi.waitUntil') return 'wait';
    if (name === 'vi.setConfig') return 'config';
    if (pauses.has(name) || (name === 'setTimeout' && isSleep(call))) return 'sleep';
    if (name === 'until' && hasOwnLimit(call)) return 'wait';
    if (/^expect\(\)(\.not)?\.toBe/.test(name) && !/toBeGreaterThan(OrEqual)?$/.test(name)) {
      const asked = call.expression as ts.PropertyAccessExpression;
      const [judged] = callOfExpect(asked).arguments;
      if (subtractsNow(asked.expression) || (judged && durations.has(nameOf(judged)))) return 'duration';
    }
    if (RUNS.test(name) && call.arguments.length > 1 && isDuration(last)) return 'limit';
    return undefined;
  }

  /** `expect(x)` of `expect(x).not.toBe`. */
  function callOfExpect({ expression }: ts.PropertyAccessExpression): ts.CallExpression {
    return ts.isCallExpression(expression) ? expression : callOfExpect(expression as ts.PropertyAccessExpression);
  }

  /** Calls of a file that are refused, as `kind: path:line`. */
  function refusedIn({ path, text }: SourceFile): string[] {
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    const names = namesIn(file);
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      const kind = ts.isCallExpression(node) ? kindOf(node, names) : undefined;
      if (kind !== undefined && !REFUSED[kind]!.includes(path))
        found.push(`${kind}: ${path}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}`);
      ts.forEachChild(node, visit);
    };
    visit(file);
    return found;
  }

  const tests = filesOf('test').filter(({ path }) => !path.endsWith('.timing.test.ts'));

  test('in none of the tests', () => {
    expect(tests.flatMap(refusedIn)).toEqual([]);
  });

  test('each exception is one', () => {
    const named = Object.values(REFUSED).flat();
    const unneeded = named.filter((path) => {
      const file = tests.find((one) => one.path === path);
      return file === undefined || refusedIn({ ...file, path: 'elsewhere.ts' }).length === 0;
    });
    expect(unneeded).toEqual([]);
  });

  test.each`
    kind          | text
    ${'duration'} | ${'expect(performance.now() - began).toBeLessThan(1_000);'}
    ${'duration'} | ${'expect(Math.abs(clock.now() - Date.now())).not.toBe(0);'}
    ${'wait'}     | ${'await vi.waitFor(() => expect(count).toBe(1));'}
    ${'wait'}     | ${'await vi.waitUntil(waits, { timeout: 10_000 });'}
    ${'random'}   | ${'const amount = Math.random();'}
    ${'sleep'}    | ${'await new Promise((resolve) => setTimeout(resolve, 50));'}
    ${'port'}     | ${'const port = await freePort();'}
    ${'limit'}    | ${"test('slow', () => undefined, 60_000);"}
    ${'limit'}    | ${"test.each([1])('slow', () => undefined, LIMIT_MS);"}
    ${'limit'}    | ${'beforeAll(() => undefined, 60_000);'}
    ${'limit'}    | ${"test('slow', () => undefined, 3 * (60_000 + 1));"}
    ${'limit'}    | ${'afterAll(() => undefined, 3 * LIMIT_MS);'}
    ${'config'}   | ${'vi.setConfig({ testTimeout: 60_000 });'}
    ${'wait'}     | ${'await until(look, Boolean, { timeoutMs: 25_000 });'}
    ${'wait'}     | ${'await until(look, Boolean, { timeoutMs });'}
    ${'sleep'}    | ${"import { setTimeout } from 'node:timers/promises'; await setTimeout(50);"}
    ${'sleep'}    | ${"import { setTimeout as pause } from 'node:timers/promises'; await pause(50);"}
    ${'duration'} | ${'const took = performance.now() - began; expect(took).toBeLessThan(50);'}
  `('$kind is found: $text', ({ kind, text }) => {
    expect(refusedIn({ path: 'planted.test.ts', text })).toEqual([`${kind}: planted.test.ts:1`]);
  });

  test.each([
    'expect(performance.now() - began).toBeGreaterThanOrEqual(950);',
    'const limit = setTimeout(() => reject(new Error()), limitMs);',
    'await eventually(() => expect(count).toBe(1));',
    "test('plain', () => undefined);",
    "test.each([1])('of %i', () => undefined);",
    'await until(look, Boolean, { timeoutMs: FAULT_PATIENCE_MS });',
    "import { setImmediate } from 'node:timers/promises'; await setImmediate();",
    'const expiresAt = Date.now() - 1; expect(hold.expiresAt).toBe(expiresAt);',
  ])('%s is not refused', (text) => {
    expect(refusedIn({ path: 'planted.test.ts', text })).toEqual([]);
  });
});

test('an entry may credit a closed account only by the permission that opens an exception', () => {
  const users = product.filter(({ path, text }) => !path.startsWith('src/ledger/') && /\bcreditClosed\b/.test(text));
  const made = /\bcreditClosed: (waitInClosed|returnToClosed)\(draft, |ClosedPermissions\['creditClosed'\]/;
  const odd = users.filter(({ text }) =>
    text.split('\n').some((line) => /\bcreditClosed\b/.test(line) && !made.test(line)),
  );
  expect(users.map(({ path }) => path)).toContain('src/payments/refunds/refund-steps.ts');
  expect(odd.map(({ path }) => path)).toEqual([]);
});

describe('a command over several items walks them by draft.each, so that each has ids of its own', () => {
  /** All of their items or none: an attempt after a lost commit finds nothing to do, and mints no id. */
  const ALL_OR_NONE = [
    'src/journal/entries/post-entries.ts',
    'src/payouts/resolution/resolve-payout.ts',
    'src/reconciliation/mirror/mirror-lines.ts',
    'src/reconciliation/statements/release-statements.ts',
  ];

  /** Loops of `decide` that skip an item, or hand the draft to what may mint ids or skip one. */
  function loopsIn({ path, text }: SourceFile): string[] {
    if (!text.includes('new Draft(')) return [];
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    const found: string[] = [];
    const has = (node: ts.Node, is: (node: ts.Node) => boolean): boolean =>
      is(node) || (ts.forEachChild(node, (child) => has(child, is) || undefined) ?? false);
    const isHandedOn = (node: ts.Node) =>
      ts.isCallExpression(node) && node.arguments.some((one) => ts.isIdentifier(one) && one.text === 'draft');
    const visit = (node: ts.Node, isDeciding: boolean): void => {
      const decides = isDeciding || (ts.isMethodDeclaration(node) && node.name.getText(file) === 'decide');
      if (
        decides &&
        ts.isForOfStatement(node) &&
        !node.expression.getText(file).startsWith('draft.each(') &&
        has(node.statement, (one) => ts.isContinueStatement(one) || isHandedOn(one))
      )
        found.push(`${path}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}`);
      ts.forEachChild(node, (child) => visit(child, decides));
    };
    visit(file, false);
    return found;
  }

  const code = product.filter(({ path }) => path.startsWith('src/'));

  test('but for those that take all of their items or none', () => {
    const found = code.flatMap(loopsIn).map((place) => place.slice(0, place.lastIndexOf(':')));
    expect([...new Set(found)].sort()).toEqual(ALL_OR_NONE);
  });

  test.each`
    loop                                                                 | places
    ${'for (const id of ids) { if (isOver(id)) continue; }'}             | ${1}
    ${'for (const [at, id] of ids.entries()) leave(draft, { at, id });'} | ${1}
    ${'for (const id of draft.each(ids)) { if (isOver(id)) continue; }'} | ${0}
    ${'for (const id of ids) draft.put(cards, id, row);'}                | ${0}
  `('$loop: $places', ({ loop, places }) => {
    const text = `export const command = { decide(state) { const draft = new Draft(state); ${loop} } };`;
    expect(loopsIn({ path: 'planted.ts', text })).toHaveLength(places);
  });
});

test('the environment is read where a process starts, and passed on as configuration', () => {
  const mayRead = /^src\/(config|process\/failpoints)\.ts$|^src\/embedded\/|^scripts\//;
  const readers = product.filter(({ path, text }) => !mayRead.test(path) && /process\.env\b/.test(text));
  expect(readers.map(({ path }) => path)).toEqual([]);
});

describe('the outside is called by adapters of parties, and by deliveries of webhooks', () => {
  const CLIENTS = /^(node:)?(http|https|http2|net|tls|dgram)$/;
  const OPENS = ['request', 'get', 'connect', 'createConnection', 'createSocket', 'Agent'];
  /** The embedded start makes its first key through its own API. */
  const ASKS_ITSELF = 'src/embedded/sandbox.ts';
  /** Behind safe-connect.ts and the client of gateways. */
  const MAY_OPEN = ['src/outside/connections/http-post.ts', ASKS_ITSELF];

  /** Names of what opens a connection of its own accord: `fetch`, and what Node's modules give for it. */
  function opensIn({ path, text }: SourceFile): string[] {
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'fetch')
        found.push(`${path}: fetch`);
      if (ts.isImportDeclaration(node) && CLIENTS.test((node.moduleSpecifier as ts.StringLiteral).text)) {
        const bindings = node.importClause?.namedBindings;
        const names = bindings && ts.isNamedImports(bindings) ? bindings.elements : undefined;
        if (names === undefined) found.push(`${path}: ${node.getText()}`);
        for (const { name, propertyName } of names ?? [])
          if (OPENS.includes((propertyName ?? name).text)) found.push(`${path}: ${name.text}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
    return found;
  }

  test('nobody else opens a connection', () => {
    const others = product.filter(({ path }) => /^(src|workers)\//.test(path) && !MAY_OPEN.includes(path));
    expect(others.flatMap(opensIn)).toEqual([]);
  });

  test.each([
    "await fetch('https://gateway.example');",
    "import { request } from 'node:https';",
    "import { connect as dial } from 'node:net';",
    "import * as http from 'node:http';",
  ])('%s is found', (text) => {
    expect(opensIn({ path: 'planted.ts', text })).toHaveLength(1);
  });
});

test('no amount passes through a float: no parseFloat and no toFixed in the product', () => {
  const code = product.filter(({ path }) => /^(src|workers|migrations)\//.test(path));
  const found = code.filter(({ text }) => /\bparseFloat\b|\.toFixed\(/.test(text));
  expect(found.map(({ path }) => path)).toEqual([]);
});

describe('the import rules report violations', () => {
  /** A small source tree with one violation of each rule. */
  const PLANTED: Record<string, string> = {
    'src/values/ids.ts': 'export const id = 1;',
    'src/money/amount.ts': "import { id } from '../values/ids.ts'; export const amount = id;",
    'src/db/pool.ts': "import type { entry } from '../ledger/entry/entry.ts'; export type Pool = typeof entry;",
    'src/ledger/entry/entry.ts':
      "import { payout } from '../../payouts/payout/payout.ts'; export const entry = payout;",
    'src/idempotency/once.ts': "import { payout } from '../payouts/payout/payout.ts'; export const once = payout;",
    'src/payouts/payout/payout.ts':
      "import { queues } from '../../queue/queues.ts'; import { job } from '../../queue/job.ts'; import { endpoint } from '../../webhooks/endpoints/endpoint.ts'; import { check } from './checks/payout-check.ts'; import { account } from '../../accounts/account/account.ts'; import { z } from 'zod'; export const payout = [queues, job, endpoint, check, account, z];",
    'src/payouts/payout/checks/payout-check.ts': 'export const check = 1;',
    'src/payouts/payout/api/payout-routes.ts': 'export const routes = 1;',
    'src/webhooks/endpoints/endpoint.ts': 'export const endpoint = 1;',
    'src/payouts/destinations/destination.ts':
      "import { payout } from '../payout/payout.ts'; export const destination = payout;",
    'src/newgroup/refund.ts': "import { id } from '../values/ids.ts'; export const refund = id;",
    'src/group/group.ts': "import { payout } from '../payouts/payout/payout.ts'; export const group = payout;",
    'src/groups.ts': "import { group } from './group/group.ts'; export const groups = [group];",
    'src/accounts/account/account.ts':
      "import { app } from '../../http/app.ts'; import { payout } from '../../payouts/payout/payout.ts'; import express from 'express'; export const account = [app, payout, express];",
    'src/queue/job.ts': 'export const job = 1;',
    'src/queue/queues.ts': "import { one } from './one.ts'; export const queues = () => one;",
    'src/queue/one.ts': "import { queues } from './queues.ts'; export const one = () => queues;",
    'src/api/route.ts': "import { payout } from '../payouts/payout/payout.ts'; export const route = payout;",
    'src/http/routes.ts':
      "import { routes } from '../payouts/payout/api/payout-routes.ts'; import { payout } from '../payouts/payout/payout.ts'; export const ROUTES = [routes, payout];",
    'src/http/reference/openapi.ts':
      "import { routes } from '../../payouts/payout/api/payout-routes.ts'; export const document = routes;",
    'src/http/app.ts':
      "import { sweep } from '../../workers/sweeper.ts'; import { Queue } from 'bullmq'; export const app = [sweep, Queue];",
    'src/verify/check.ts':
      "import { app } from '../http/app.ts'; import { groups } from '../groups.ts'; import { routes } from '../payouts/payout/api/payout-routes.ts'; export const check = [app, groups, routes];",
    'src/payouts/call-rail.ts':
      "import { SandboxRail } from '../rails/sandbox-rail.ts'; import { createRails } from '../rails/rails.ts'; import { createRailsRuntime } from '../rails/rails-runtime.ts'; import { request } from 'undici'; export const calls = [SandboxRail, createRails, createRailsRuntime, request];",
    'src/rails/rails-runtime.ts': 'export const createRailsRuntime = 1;',
    'src/rails/rails.ts': 'export const createRails = 1;',
    'src/rails/sandbox-rail.ts': 'export class SandboxRail {}',
    'src/rails/quote.ts': "import { SandboxRail } from './sandbox-rail.ts'; export const quote = new SandboxRail();",
    'workers/sweeper.ts': "import '../scripts/verify.ts'; import '../src/http/app.ts'; export const sweep = 1;",
    'scripts/verify.ts': "import '../src/verify/check.ts'; import '../src/gone.ts';",
    'scripts/harness/client.ts': "import '../faults/load.ts';",
    'scripts/faults/load.ts': "import '../bench/book.ts';",
    'scripts/bench/book.ts': 'export const book = 1;',
  };
  let house: string;
  let output: string;

  beforeAll(() => {
    house = mkdtempSync(join(tmpdir(), 'countinghouse-architecture-'));
    for (const [path, text] of Object.entries(PLANTED)) {
      mkdirSync(join(house, dirname(path)), { recursive: true });
      writeFileSync(join(house, path), text);
    }
    for (const name of ['package.json', 'tsconfig.json', '.dependency-cruiser.cjs', 'node_modules']) {
      symlinkSync(join(ROOT, name), join(house, name));
    }
    output = depcruise(house);
  });

  afterAll(() => rmSync(house, { recursive: true, force: true }));

  function depcruise(cwd: string): string {
    try {
      const script = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
      return execFileSync(
        process.execPath,
        [script, '--config', '.dependency-cruiser.cjs', 'src', 'workers', 'scripts'],
        { cwd, encoding: 'utf8', stdio: 'pipe' },
      );
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
  }

  test.each`
    rule                                           | from                                         | to
    ${'money-sees-only-what-is-below'}             | ${'src/money/amount.ts'}                     | ${'src/values/ids.ts'}
    ${'db-sees-only-what-is-below'}                | ${'src/db/pool.ts'}                          | ${'src/ledger/entry/entry.ts'}
    ${'ledger-sees-only-what-is-below'}            | ${'src/ledger/entry/entry.ts'}               | ${'src/payouts/payout/payout.ts'}
    ${'idempotency-sees-only-what-is-below'}       | ${'src/idempotency/once.ts'}                 | ${'src/payouts/payout/payout.ts'}
    ${'payouts-sees-only-what-is-below'}           | ${'src/payouts/payout/payout.ts'}            | ${'src/queue/queues.ts'}
    ${'payouts-sees-only-what-is-below'}           | ${'src/payouts/payout/payout.ts'}            | ${'src/webhooks/endpoints/endpoint.ts'}
    ${'nouns-of-payouts-in-their-order'}           | ${'src/payouts/destinations/destination.ts'} | ${'src/payouts/payout/payout.ts'}
    ${'accounts-sees-only-what-is-below'}          | ${'src/accounts/account/account.ts'}         | ${'src/http/app.ts'}
    ${'accounts-sees-only-what-is-below'}          | ${'src/accounts/account/account.ts'}         | ${'src/payouts/payout/payout.ts'}
    ${'every-folder-has-its-layer'}                | ${'src/newgroup/refund.ts'}                  | ${'src/values/ids.ts'}
    ${'shapes-sees-only-what-is-below'}            | ${'src/group/group.ts'}                      | ${'src/payouts/payout/payout.ts'}
    ${'the-list-of-groups-is-handed'}              | ${'src/verify/check.ts'}                     | ${'src/groups.ts'}
    ${'checks-are-named-by-declarations-alone'}    | ${'src/payouts/payout/payout.ts'}            | ${'src/payouts/payout/checks/payout-check.ts'}
    ${'routes-are-listed-in-http-alone'}           | ${'src/verify/check.ts'}                     | ${'src/payouts/payout/api/payout-routes.ts'}
    ${'zod-in-its-place'}                          | ${'src/payouts/payout/payout.ts'}            | ${''}
    ${'verify-sees-only-what-is-below'}            | ${'src/verify/check.ts'}                     | ${'src/http/app.ts'}
    ${'http-sees-only-what-is-below'}              | ${'src/http/app.ts'}                         | ${'workers/sweeper.ts'}
    ${'http-sees-only-what-is-below'}              | ${'src/http/reference/openapi.ts'}           | ${'src/payouts/payout/api/payout-routes.ts'}
    ${'lists-of-http-sees-only-what-is-below'}     | ${'src/http/routes.ts'}                      | ${'src/payouts/payout/payout.ts'}
    ${'api-sees-only-what-is-below'}               | ${'src/api/route.ts'}                        | ${'src/payouts/payout/payout.ts'}
    ${'workers-serve-no-api'}                      | ${'workers/sweeper.ts'}                      | ${'src/http/app.ts'}
    ${'nobody-imports-entry-points'}               | ${'workers/sweeper.ts'}                      | ${'scripts/verify.ts'}
    ${'no-unresolved'}                             | ${'scripts/verify.ts'}                       | ${'../src/gone.ts'}
    ${'harness-knows-neither-faults-nor-benches'}  | ${'scripts/harness/client.ts'}               | ${'scripts/faults/load.ts'}
    ${'benches-and-faults-are-apart'}              | ${'scripts/faults/load.ts'}                  | ${'scripts/bench/book.ts'}
    ${'parties-are-called-in-turn'}                | ${'src/payouts/call-rail.ts'}                | ${'src/rails/sandbox-rail.ts'}
    ${'lists-of-parties-are-made-once'}            | ${'src/payouts/call-rail.ts'}                | ${'src/rails/rails.ts'}
    ${'parts-of-the-runtime-are-made-in-it'}       | ${'src/payouts/call-rail.ts'}                | ${'src/rails/rails-runtime.ts'}
    ${'clients-of-parties-are-made-in-their-list'} | ${'src/rails/quote.ts'}                      | ${'src/rails/sandbox-rail.ts'}
    ${'undici-in-its-place'}                       | ${'src/payouts/call-rail.ts'}                | ${''}
    ${'no-circles'}                                | ${'src/queue/one.ts'}                        | ${''}
    ${'express-in-its-place'}                      | ${'src/accounts/account/account.ts'}         | ${''}
    ${'bullmq-in-its-place'}                       | ${'src/http/app.ts'}                         | ${''}
  `('$rule: $from → $to', ({ rule, from, to }) => {
    expect(output).toContain(`${rule}: ${from} → ${to}`);
  });

  test('allowed imports are not reported: any folder may import the job contract', () => {
    expect(output).not.toContain('→ src/queue/job.ts');
  });

  test('allowed imports are not reported: the list of routes names those of groups', () => {
    expect(output).not.toContain('src/http/routes.ts → src/payouts/payout/api/payout-routes.ts');
  });
});
