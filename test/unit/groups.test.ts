/**
 * What a new group or resource could forget, and nobody else would say: a file of a group that no list has, a resource that
 * its group does not list or that no route shows, an event that nothing documents, a resource that the models do not know.
 */
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ApiResource } from '../../src/api/api-resource.ts';
import type { EventDocument } from '../../src/api/event-document.ts';
import type { Route } from '../../src/api/route.ts';
import { migrationNames } from '../../src/db/roles.ts';
import { GROUPS, RESOURCES } from '../../src/groups.ts';
import { EVENT_DOCUMENTS, ROUTES } from '../../src/http/routes.ts';
import type { DeclaredResource } from '../../src/ledger/resources/declared-resource.ts';
import { kindOf, publicId } from '../../src/values/ids.ts';
import { MODELLED } from '../model/modelled.ts';
import { PARTS } from '../model/parts.ts';
import { SCHEDULE_PARTS } from '../model/schedule/parts.ts';

const ROOT = join(import.meta.dirname, '../..');

/** What the files of the product at this place export, each value with its file. `named`: under this name alone. */
async function exportsOf(place: RegExp, named?: string): Promise<[string, unknown][]> {
  const paths = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    place.test(path),
  );
  const modules = await Promise.all(paths.map((path) => import(join(ROOT, 'src', path)) as Promise<object>));
  return modules.flatMap((module, at) =>
    Object.entries(module)
      .filter(([name]) => named === undefined || name === named)
      .map(([, value]): [string, unknown] => [paths[at]!, value]),
  );
}

const namesOf = (found: readonly [string, unknown][]) => [...new Set(found.map(([path]) => path))];

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

test('every group that declares itself is listed', async () => {
  const declared = (await exportsOf(/^[^/]+\/index\.ts$/)).filter(
    ([, value]) => isObject(value) && 'blocksClosing' in value,
  );
  expect(declared.length).toBeGreaterThan(0);
  expect(namesOf(declared.filter(([, group]) => !GROUPS.includes(group as (typeof GROUPS)[number])))).toEqual([]);
});

test('every resource that is declared in its folder is listed by its group', async () => {
  const declared = (await exportsOf(/-resources?\.ts$/)).filter(([, value]) => isObject(value) && 'books' in value);
  expect(declared.length).toBeGreaterThan(0);
  expect(namesOf(declared.filter(([, one]) => !RESOURCES.includes(one as DeclaredResource)))).toEqual([]);
  expect(new Set(RESOURCES.map(({ name }) => name)).size).toBe(RESOURCES.length);
});

test('a child belongs to a resource, by a column of its table', () => {
  const lost = RESOURCES.filter(
    ({ parent, table }) =>
      parent !== null &&
      !(RESOURCES.some(({ name }) => name === parent.name) && table.columns.some(({ name }) => name === parent.column)),
  );
  expect(lost.map(({ name }) => name)).toEqual([]);
});

test('every route of a group is served', async () => {
  const exported = await exportsOf(/^[^/]+\/([^/]+\/)?api\/.*-routes\.ts$/);
  const routes = exported
    .map(([path, value]): [string, unknown] => [path, typeof value === 'function' ? value(RESOURCES) : value])
    .filter(([, value]) => Array.isArray(value))
    .flatMap(([path, value]) => (value as Route[]).map((route): [string, Route] => [path, route]));
  const served = new Set(ROUTES.map(({ operation }) => operation));
  expect(routes.length).toBeGreaterThan(0);
  expect(namesOf(routes.filter(([, { operation }]) => !served.has(operation)))).toEqual([]);
});

describe('what routes do with a resource', () => {
  const shown = new Set(ROUTES.flatMap(({ of }) => of?.resource.declared ?? []));

  test('is with one that a group declares, and with its parent', () => {
    expect([...shown].filter((one) => !RESOURCES.includes(one))).toEqual([]);
    const resources = ROUTES.flatMap(({ of }) => (of ? [of.resource as Partial<ApiResource<unknown>>] : []));
    const strangers = resources.filter(
      ({ declared, parent }) => parent && parent.resource.declared?.name !== declared?.parent?.name,
    );
    expect(strangers.map(({ type }) => type)).toEqual([]);
  });

  /** By what shows it. A new resource has routes, or stands here. */
  const SHOWN_BY_OTHERS = {
    increment: 'its payment',
    void: 'its payment',
  };

  test('is shown of every resource', () => {
    const hidden = RESOURCES.filter((one) => !shown.has(one)).map(({ name }) => name as string);
    expect(hidden.sort()).toEqual(Object.keys(SHOWN_BY_OTHERS));
  });

  test('is known of every list', () => {
    // What is computed for a body, such as a back-test, has pages and is the list of no resource.
    const reads = ROUTES.filter(({ method }) => method === 'get');
    const paged = reads.filter(({ query }) => 'starting_after' in ((query as { shape?: object })?.shape ?? {}));
    const kinds = ['list', 'children', 'timeline'];
    expect(paged.filter(({ of }) => !kinds.includes(of?.kind ?? '')).map(({ operation }) => operation)).toEqual([]);
    expect(ROUTES.filter(({ of }) => kinds.includes(of?.kind ?? '')).length).toBe(paged.length);
  });
});

test('every document of events is in the reference', async () => {
  const documents = await exportsOf(/^[^/]+\/([^/]+\/)?api\/.*-events\.ts$/);
  expect(documents.length).toBeGreaterThan(0);
  expect(namesOf(documents.filter(([, value]) => !EVENT_DOCUMENTS.includes(value as EventDocument)))).toEqual([]);
});

describe('a group that lists its nouns', async () => {
  const listed = (await exportsOf(/^[^/]+\/index\.ts$/, 'NOUNS')).map(([path, nouns]): [string, readonly string[]] => [
    dirname(path),
    nouns as readonly string[],
  ]);

  test.each(listed)('%s: each is a folder, in the order in which they may see each other', (group, nouns) => {
    const folders = readdirSync(join(ROOT, 'src', group), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    expect([...nouns].sort()).toEqual(folders.map(({ name }) => name).sort());
  });

  test('has a rule of imports for each of them', () => {
    const cruiser = createRequire(import.meta.url)(join(ROOT, '.dependency-cruiser.cjs')) as {
      readonly forbidden: readonly { readonly name: string; readonly from: { readonly path?: unknown } }[];
    };
    const ruled = cruiser.forbidden.filter(({ name }) => name.endsWith('-in-their-order'));
    expect(listed.length).toBeGreaterThan(0);
    expect(ruled.map(({ from }) => from.path)).toEqual(
      listed.toSorted().flatMap(([group, nouns]) => nouns.map((noun) => `^src/${group}/${noun}/`)),
    );
  });
});

test('no two migrations have a number', async () => {
  const names = await migrationNames();
  expect(names.length).toBeGreaterThan(0);
  expect(new Set(names.map((name) => name.slice(0, 4))).size).toBe(names.length);
});

test('every event of a group is in the reference', () => {
  const documented = new Set(EVENT_DOCUMENTS.flatMap(({ names }) => names));
  const names = GROUPS.flatMap(({ resources, events = [] }) => [
    ...resources.flatMap((each) => each.events),
    ...events,
  ]);
  expect(names.filter((name) => !documented.has(name))).toEqual([]);
  expect(documented.size).toBe(names.length);
});

/** The resources whose ids a filter of a list takes. */
function takenBy(operation: string, filter: string): string[] {
  const { query } = ROUTES.find((route) => route.operation === operation)!;
  const idOf = ({ name }: DeclaredResource) => publicId(kindOf(name), '018f4d3e-7b2a-7000-8000-000000000000');
  return RESOURCES.filter((one) => query!.safeParse({ [filter]: idOf(one) }).success).map(({ name }) => name);
}
const namesWhere = (is: (one: DeclaredResource) => boolean) => RESOURCES.filter(is).map(({ name }) => name);

test('events are listed by every object that has some', () => {
  expect(takenBy('listEvents', 'object')).toEqual(namesWhere(({ events }) => events.length > 0));
});

test('entries are listed by every object that books', () => {
  expect(takenBy('listJournalEntries', 'resource')).toEqual(namesWhere(({ books }) => books));
});

describe('the models', () => {
  const declared = RESOURCES.map(({ name }): string => name);
  const listed = Object.entries(MODELLED);

  test('drive every resource that moves money, or say why not', () => {
    const booking: string[] = namesWhere(({ books }) => books);
    expect(booking.filter((name) => !(name in MODELLED))).toEqual([]);
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

test('every resource that books states what lines of accounts show of it', () => {
  const silent = RESOURCES.filter(({ books, lineText }) => books && lineText === undefined);
  expect(silent.map(({ name }) => name)).toEqual([]);
});
