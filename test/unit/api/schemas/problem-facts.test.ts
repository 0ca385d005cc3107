/** Every blocker of a closing account, and every fact that the code gives with a refusal, is in the schema of its problem. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { faultIn } from '../../../../scripts/harness/as-promised.ts';
import { CLOSING_BLOCKS, closingBlock, PERIOD_BLOCKS } from '../../../../src/api/schemas/closing-block-schema.ts';
import { PROBLEM_FACTS } from '../../../../src/api/schemas/problem-facts.ts';
import type { ErrorCode } from '../../../../src/errors/errors.ts';
import { GROUPS } from '../../../../src/groups.ts';
import type { Draft } from '../../../../src/ledger/command/draft.ts';
import { newId } from '../../../../src/values/ids.ts';

const BLOCKERS = GROUPS.flatMap(({ blocksClosing }) => blocksClosing);
/** Of the account itself: accounts/account/change-account.ts. */
const OWN = ['balance', 'holds'];

describe('what keeps an account from being closed', () => {
  test('has a line in the schema for each type of every group, and no other', () => {
    const declared = [...OWN, ...BLOCKERS.flatMap(({ types }) => types)];
    expect([...CLOSING_BLOCKS].sort()).toEqual(declared.sort());
  });

  test('and so has what keeps days of a book from being closed', () => {
    const declared = GROUPS.flatMap(({ blocksPeriods = [] }) => blocksPeriods.map(({ type }) => type));
    expect([...PERIOD_BLOCKS].sort()).toEqual(declared.sort());
  });

  /** Rows of the blockers' tables: each has one of the things that block. */
  const none = {
    ...{ paymentIds: [], refundIds: [], disputeIds: [], payoutIds: [], cardIds: [], unreleased: 0n },
    ...{ transactionIds: [], transactionDisputeIds: [], batchIds: [] },
  };
  const STATES = [
    { ...none, payoutIds: [newId()] },
    { ...none, paymentIds: [newId()] },
    { ...none, refundIds: [newId()] },
    { ...none, disputeIds: [newId()] },
    { ...none, unreleased: 77n },
    { ...none, batchIds: [newId()] },
    { ...none, cardIds: [newId()] },
    { ...none, transactionIds: [newId()] },
    { ...none, transactionDisputeIds: [newId()] },
  ];

  test('is found as the schema says, and every declared type is', () => {
    const found = STATES.flatMap((state) => {
      const draft = { get: () => state } as unknown as Draft;
      return BLOCKERS.flatMap((blocker) => blocker.find(draft, newId()) ?? []);
    });
    for (const block of found) {
      const shown = JSON.parse(
        JSON.stringify(block, (_, value) => (typeof value === 'bigint' ? Number(value) : value)),
      );
      expect(faultIn(closingBlock, shown, 'any'), block.type).toBeUndefined();
      expect(Object.keys(shown).length, block.type).toBe(2);
    }
    const types = new Set(found.map(({ type }) => type));
    expect([...types].sort()).toEqual(BLOCKERS.flatMap((blocker) => blocker.types).sort());
  });
});

interface Given {
  readonly at: string;
  readonly code: string | undefined;
  /** Undefined where they are handed on, made elsewhere. */
  readonly names: readonly string[] | undefined;
}

const SOURCES = join(import.meta.dirname, '../../../../src');

/** Each `facts: …` of the sources that stands beside an error code. */
function factsIn(path: string): Given[] {
  const text = readFileSync(join(SOURCES, path), 'utf8');
  if (!/\bfacts\b/.test(text)) return [];
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: Given[] = [];
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    if (!ts.isObjectLiteralExpression(node)) return;
    const facts = memberOf(node, 'facts');
    const code = codeBeside(node);
    if (facts === undefined || code === undefined) return;
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    found.push({ at: `${path}:${line + 1}`, code, names: namesOf(facts) });
  };
  visit(file);
  return found;
}

function memberOf(object: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  for (const property of object.properties) {
    if (ts.isPropertyAssignment(property) && property.name.getText() === name) return property.initializer;
    if (ts.isShorthandPropertyAssignment(property) && property.name.text === name) return property.name;
  }
  return undefined;
}

function codeBeside(object: ts.ObjectLiteralExpression): string | undefined {
  const called = object.parent;
  const beside = ts.isNewExpression(called)
    ? called.arguments?.[0]
    : (memberOf(object, 'refused') ?? memberOf(object, 'code'));
  return beside && ts.isStringLiteralLike(beside) ? beside.text : undefined;
}

function namesOf(facts: ts.Expression): string[] | undefined {
  if (!ts.isObjectLiteralExpression(facts)) return undefined;
  return facts.properties.map((property) => property.name?.getText() ?? property.getText());
}

describe('the facts that the code gives', () => {
  const given = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .flatMap(factsIn);

  test('are found', () => {
    expect(given.length).toBeGreaterThan(40);
    // Made by a function of the same file; test/e2e/bad-input.test.ts holds its answers against the schema.
    expect(given.filter(({ names }) => names === undefined).map(({ code }) => code)).toEqual([
      'malformed_json',
      'malformed_json',
      'malformed_json',
    ]);
  });

  test('are in the schema of their code', () => {
    const unknown = given.flatMap(({ at, code, names = [] }) => {
      const known = Object.keys(PROBLEM_FACTS[code as ErrorCode] ?? {});
      return names.filter((name) => !known.includes(name)).map((name) => `${at} ${code}.${name}`);
    });
    expect(unknown).toEqual([]);
  });

  test('are all that the schema requires of their code', () => {
    const lacking = given.flatMap(({ at, code, names }) =>
      Object.entries(PROBLEM_FACTS[code as ErrorCode] ?? {})
        .filter(
          ([name, schema]) =>
            names && !names.includes(name) && (schema as { _zod: { optin?: string } })._zod.optin !== 'optional',
        )
        .map(([name]) => `${at} ${code}.${name}`),
    );
    expect(lacking).toEqual([]);
  });
});
