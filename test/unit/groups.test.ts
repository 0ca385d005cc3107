/**
 * What a new group or resource could forget, and nobody else would say: a file of a group that no list has, an event that no
 * filter lets through, an object whose events or entries cannot be asked for, a resource that the models do not know.
 */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { migrationSource } from '../../migrations/index.ts';
import type { EventDocument } from '../../src/api/event-document.ts';
import type { Route } from '../../src/api/route.ts';
import { GROUPS } from '../../src/groups.ts';
import { EVENT_DOCUMENTS, ROUTES } from '../../src/http/routes.ts';
import { NOUNS as PAYMENT_NOUNS } from '../../src/payments/index.ts';
import { NOUNS as PAYOUT_NOUNS } from '../../src/payouts/index.ts';
import { ID_PREFIXES, type IdKind, publicId } from '../../src/values/ids.ts';
import { snakeCase } from '../../src/values/snake-case.ts';
import { isEventFilter } from '../../src/webhooks/event-filter.ts';
import { MODELLED } from '../model/modelled.ts';
import { PARTS } from '../model/parts.ts';
import { SCHEDULE_PARTS } from '../model/schedule/parts.ts';

const ROOT = join(import.meta.dirname, '../..');

/** What the files of the product at this place export, each value with its file. */
async function exportsOf(place: RegExp): Promise<[string, unknown][]> {
  const paths = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    place.test(path),
  );
  const modules = await Promise.all(paths.map((path) => import(join(ROOT, 'src', path)) as Promise<object>));
  return modules.flatMap((module, at) => Object.values(module).map((value): [string, unknown] => [paths[at]!, value]));
}

const namesOf = (found: readonly [string, unknown][]) => [...new Set(found.map(([path]) => path))];

test('every group that declares itself is listed', async () => {
  const declared = (await exportsOf(/^[^/]+\/index\.ts$/)).filter(([, value]) => 'rights' in (value as object));
  expect(declared.length).toBeGreaterThan(0);
  expect(namesOf(declared.filter(([, group]) => !GROUPS.includes(group as (typeof GROUPS)[number])))).toEqual([]);
});

test('every route of a group is served', async () => {
  const routes = (await exportsOf(/^[^/]+\/([^/]+\/)?api\/.*-routes\.ts$/))
    .filter(([, value]) => Array.isArray(value))
    .flatMap(([path, value]) => (value as Route[]).map((route): [string, Route] => [path, route]));
  expect(routes.length).toBeGreaterThan(0);
  expect(namesOf(routes.filter(([, route]) => !ROUTES.includes(route)))).toEqual([]);
});

test('every document of events is in the reference', async () => {
  const documents = await exportsOf(/^[^/]+\/([^/]+\/)?api\/.*-events\.ts$/);
  expect(documents.length).toBeGreaterThan(0);
  expect(namesOf(documents.filter(([, value]) => !EVENT_DOCUMENTS.includes(value as EventDocument)))).toEqual([]);
});

test.each([
  ['payments', PAYMENT_NOUNS],
  ['payouts', PAYOUT_NOUNS],
])('%s lists its folders, in the order in which they may see each other', (group, nouns) => {
  const folders = readdirSync(join(ROOT, 'src', group), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect([...nouns].sort()).toEqual(folders.map(({ name }) => name).sort());
});

test('every migration runs', async () => {
  const files = readdirSync(join(ROOT, 'migrations')).filter((file) => /^\d{4}-/.test(file));
  const listed = (await migrationSource.getMigrations([])).map((migration) =>
    migrationSource.getMigrationName(migration),
  );
  expect(files.map((file) => basename(file, '.ts')).sort()).toEqual([...listed].sort());
});

test('every event of a group can be subscribed to, by its name and with its kind', () => {
  const names = GROUPS.flatMap(({ resources, events = [] }) => [
    ...resources.flatMap((each) => each.events),
    ...events,
  ]);
  const filters = names.flatMap((name) => [name, `${name.split('.')[0]}.*`]);
  expect(filters.filter((filter) => !isEventFilter(filter))).toEqual([]);
});

const RESOURCES = GROUPS.flatMap(({ resources }) => resources);

/** The resources whose ids a filter of a list refuses. */
function refusedBy(operation: string, filter: string, resources: typeof RESOURCES): string[] {
  const { query } = ROUTES.find((route) => route.operation === operation)!;
  const kinds = Object.keys(ID_PREFIXES) as IdKind[];
  const refused = resources.filter(({ name }) => {
    const kind = kinds.find((one) => snakeCase(one) === name)!;
    return !query!.safeParse({ [filter]: publicId(kind, '018f4d3e-7b2a-7000-8000-000000000000') }).success;
  });
  return refused.map(({ name }) => name);
}

test('events can be listed of every object that has some', () => {
  const withEvents = RESOURCES.filter(({ events }) => events.length > 0);
  expect(refusedBy('listEvents', 'object', withEvents)).toEqual([]);
});

/** A new resource that books nothing is named here. */
const BOOKS_NOTHING = [
  'account',
  'hold',
  'increment',
  'payment',
  'payment_token',
  'reader',
  'reader_action',
  'void',
  'webhook_endpoint',
];

test('entries can be listed of every resource that books some', () => {
  expect(refusedBy('listJournalEntries', 'resource', RESOURCES).sort()).toEqual(BOOKS_NOTHING);
});

describe('the models', () => {
  const declared = GROUPS.flatMap(({ resources }) => resources.map(({ name }): string => name));
  const listed = Object.entries(MODELLED);

  test('drive every resource of a group, or say why not', () => {
    expect(declared.filter((name) => !(name in MODELLED))).toEqual([]);
  });

  test('list no resource that no group declares', () => {
    expect(listed.map(([name]) => name).filter((name) => !declared.includes(name))).toEqual([]);
  });

  test('have the parts that are named, and a sentence where there is none', () => {
    const isRight = (named: unknown, parts: readonly unknown[]) =>
      typeof named === 'string' ? /^[A-Z].{20,}\.$/.test(named) : parts.includes(named);
    const wrong = listed.filter(
      ([, { ledger, schedule }]) => !isRight(ledger, PARTS) || !isRight(schedule, SCHEDULE_PARTS),
    );
    expect(wrong.map(([name]) => name)).toEqual([]);
  });
});
