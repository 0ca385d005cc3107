/**
 * Words that are stored, or that something outside the code knows: rows, other processes, dashboards, scripts of an
 * operator. Read from declarations where there are some, from the syntax tree where there are none.
 */
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { rightsOfGroup, tablesOf } from '../../src/group/group.ts';
import { GROUPS } from '../../src/groups.ts';
import { EVENT_DOCUMENTS } from '../../src/http/routes.ts';
import { CHART } from '../../src/ledger/account/chart.ts';
import { EVENT_FORMS } from '../../src/ledger/events/event-form.ts';
import { FAILPOINTS } from '../../src/process/failpoints.ts';
import { JOBS, QUEUE_POOLS, queueName } from '../../src/queue/job.ts';
import { KEY_PREFIX } from '../../src/queue/queue-backend.ts';
import { ID_PREFIXES } from '../../src/values/ids.ts';
import { POOL_NAMES } from '../../workers/run.ts';
import { filesOf, nodesOf, parse, stringOf, stringsIn } from './source-files.ts';

/** By what they are, each sorted. */
export function storedWords(): Record<string, string[]> {
  const words = { ...declaredWords(), ...writtenWords() };
  return Object.fromEntries(Object.entries(words).map(([kind, found]) => [kind, [...new Set(found)].sort()]));
}

function declaredWords(): Record<string, string[]> {
  const resources = GROUPS.flatMap((group) => group.resources);
  const rights = GROUPS.flatMap((group) => Object.entries(rightsOfGroup(group)));
  const tables = GROUPS.flatMap(tablesOf);
  const gauges = GROUPS.flatMap((group) => group.gauges);
  const moved = GROUPS.flatMap((group) => group.moved);
  return {
    jobs: Object.values(JOBS).flat(),
    pools: [...POOL_NAMES],
    queues: [KEY_PREFIX, ...QUEUE_POOLS.map((pool) => queueName(pool, 0))],
    tables: [...tables.map(({ name }) => name), ...rights.map(([name]) => name)],
    columns: [
      ...tables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`)),
      ...rights.flatMap(([name, { updates }]) =>
        updates === 'all' ? [] : updates.map((column) => `${name}.${column}`),
      ),
    ],
    resources: resources.map(({ name }) => name),
    rows: [...moved, ...GROUPS.flatMap(({ overdue = [] }) => overdue)].map(({ kind }) => kind),
    events: [...resources.flatMap(({ events }) => events), ...GROUPS.flatMap(({ events = [] }) => events)],
    eventMembers: [
      ...EVENT_DOCUMENTS.flatMap(({ schemaName, object }) => membersOf(object).map((name) => `${schemaName}.${name}`)),
      ...[...EVENT_FORMS].flatMap(([form, { members }]) => members.map(({ name }) => `form ${form}.${name}`)),
    ],
    failpoints: [...FAILPOINTS],
    chartCodes: Object.keys(CHART),
    idPrefixes: Object.values(ID_PREFIXES),
    gauges: gauges.flatMap(({ name, label = [] }) => [name, ...[label].flat().map((each) => `${name}{${each}}`)]),
  };
}

/** The members of an object's schema, or of each of several. */
function membersOf(schema: object): string[] {
  if ('shape' in schema) return Object.keys(schema.shape as object);
  if ('options' in schema) return (schema.options as object[]).flatMap(membersOf);
  throw new TypeError('The schema of an event is neither an object nor one of several');
}

/** Closed lists of words that columns, events and labels have. Those of these folders are of the code alone. */
const CLOSED_LIST = /(Status|Kind|Reason|Code)$/;
const UNSTORED = /^src\/(api|db|http)\//;
const COMMANDER_CALLS = ['command', 'option', 'requiredOption', 'argument', 'Option', 'Argument'];

/** What is written where it is used: the first argument of a call, a property of a literal, a member of a type. */
function writtenWords(): Record<string, string[]> {
  const product = filesOf('src', 'workers');
  const words = {
    steps: [] as string[],
    derivedIds: [] as string[],
    metrics: [] as string[],
    findings: [] as string[],
    closedLists: [] as string[],
    settings: [] as string[],
    commands: Object.keys(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).scripts),
  };
  for (const file of [...product, ...filesOf('scripts')]) {
    const source = parse(file);
    for (const node of nodesOf(source)) words.settings.push(...environmentVariable(node));
    if (/^(scripts\/[^/]+|scripts\/(faults|bench)\/run|workers\/run)\.ts$/.test(file.path))
      for (const node of nodesOf(source)) words.commands.push(...commandOf(file.path, node));
  }
  for (const file of product) {
    const source = parse(file);
    for (const node of nodesOf(source)) {
      words.steps.push(...propertyNamed('step', node).filter((text) => /^[a-z][a-z_$]*$/.test(text)));
      words.findings.push(...propertyNamed('check', node));
      words.derivedIds.push(...partsOfId(source, node));
      if (!UNSTORED.test(file.path)) words.closedLists.push(...membersOfList(node));
      const text = stringOf(node);
      if (text !== undefined && /^countinghouse_[a-z_]+$/.test(text)) words.metrics.push(text);
      if (isProperty('labelNames', node)) words.metrics.push(...stringsIn(node).map((label) => `{${label}}`));
    }
    if (file.path === 'src/config.ts') words.settings.push(...settingsIn(source));
  }
  return words;
}

function isProperty(name: string, node: ts.Node): node is ts.PropertyAssignment {
  return ts.isPropertyAssignment(node) && ts.isIdentifier(node.name) && node.name.text === name;
}

function propertyNamed(name: string, node: ts.Node): string[] {
  return isProperty(name, node) ? stringsIn(node.initializer) : [];
}

/** The literals of `deriveId('a', id, ...rest)`: its own, and those of what it spreads. */
function partsOfId(source: ts.SourceFile, node: ts.Node): string[] {
  if (!ts.isCallExpression(node) || node.expression.getText() !== 'deriveId') return [];
  return node.arguments.flatMap((argument) => {
    if (!ts.isSpreadElement(argument)) return stringsIn(argument);
    const name = argument.expression.getText();
    const made = nodesOf(source).filter(
      (each) => ts.isVariableDeclaration(each) && each.name.getText() === name,
    ) as ts.VariableDeclaration[];
    return made.flatMap(({ initializer }) => (initializer ? stringsIn(initializer) : []));
  });
}

/** `paid` of `type PayoutStatus = 'paid' | …`: types may be renamed. */
function membersOfList(node: ts.Node): string[] {
  if (!ts.isTypeAliasDeclaration(node) || !CLOSED_LIST.test(node.name.text)) return [];
  const members = ts.isUnionTypeNode(node.type) ? node.type.types : [];
  return members.flatMap((member) =>
    ts.isLiteralTypeNode(member) && ts.isStringLiteral(member.literal) ? [member.literal.text] : [],
  );
}

function settingsIn(source: ts.SourceFile): string[] {
  const schema = nodesOf(source).find(
    (node) => ts.isVariableDeclaration(node) && node.name.getText() === 'schema',
  ) as ts.VariableDeclaration;
  const members = (schema.initializer as ts.CallExpression).arguments[0] as ts.ObjectLiteralExpression;
  return members.properties.map((member) => member.name!.getText());
}

function environmentVariable(node: ts.Node): string[] {
  const isRead = ts.isPropertyAccessExpression(node) && /^process\.env$/.test(node.expression.getText());
  return isRead ? [node.name.text] : [];
}

/** `keys --json` of `.option('--json', …)` in scripts/keys.ts, or in a part of it such as keys-people.ts. */
function commandOf(path: string, node: ts.Node): string[] {
  if (!(ts.isCallExpression(node) || ts.isNewExpression(node))) return [];
  const called = ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression;
  const [first] = node.arguments ?? [];
  if (!COMMANDER_CALLS.includes(called.getText()) || first === undefined) return [];
  const word = stringOf(first);
  return word === undefined ? [] : [`${programOf(path)} ${word}`];
}

function programOf(path: string): string {
  const [file, folder] = path.replace(/\.ts$/, '').split('/').reverse();
  return file === 'run' ? folder! : file!.split('-')[0]!;
}
