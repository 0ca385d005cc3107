/**
 * A group that the product does not know: a resource and its child, with a migration and a declaration of their own. Added
 * to the list of groups, it is found by everything that reads the list. What a new group may forget is named by the
 * compiler, or by the test that is told here.
 */

import { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { changeAccountStatus } from '../../src/accounts/account/change-account.ts';
import { createAudit } from '../../src/audit/audit.ts';
import { column } from '../../src/db/declared-columns.ts';
import { EARLIEST_FORMS } from '../../src/db/forms.ts';
import { keyedByUuid } from '../../src/db/keyed-table.ts';
import { migrate } from '../../src/db/migrate.ts';
import type { Pool } from '../../src/db/pool.ts';
import type { CheckContext } from '../../src/group/check-context.ts';
import { equationOf } from '../../src/group/equation.ts';
import type { Finding } from '../../src/group/finding.ts';
import { type Group, rightsOfGroup } from '../../src/group/group.ts';
import type { RowCheck } from '../../src/group/row-check.ts';
import { type BookedStep, readStepsOf } from '../../src/group/steps-store.ts';
import { behindNewIds } from '../../src/group/until.ts';
import { GROUPS, RIGHTS } from '../../src/groups.ts';
import { registerEvents } from '../../src/http/reference/openapi-events.ts';
import { EVENT_DOCUMENTS } from '../../src/http/routes.ts';
import { accounts } from '../../src/ledger/account/account-table.ts';
import { chartAccountId } from '../../src/ledger/account/chart.ts';
import type { ClosingBlocker } from '../../src/ledger/command/closing-blocker.ts';
import type { Command } from '../../src/ledger/command/command.ts';
import { Draft } from '../../src/ledger/command/draft.ts';
import type { EventName } from '../../src/ledger/events/event-names.ts';
import type { DeclaredResource } from '../../src/ledger/resources/declared-resource.ts';
import { type Table, WRITE_ORDER } from '../../src/ledger/rows/table.ts';
import { tableOf } from '../../src/ledger/rows/table-of.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { readBacklog } from '../../src/operations/backlog-store.ts';
import { listStuck, markStuck, retryStuck } from '../../src/operations/stuck-store.ts';
import { stuckView } from '../../src/operations/stuck-view.ts';
import { createLogger } from '../../src/process/log.ts';
import type { QueueJob } from '../../src/queue/queues.ts';
import { readTimeline, type TimelineSubject } from '../../src/timeline/timeline.ts';
import { type Instant, systemClock } from '../../src/values/clock.ts';
import { newId, type ResourceName, type Uuid } from '../../src/values/ids.ts';
import { checkOverdue, type MissingWorker } from '../../src/verify/overdue-check.ts';
import { verifyDatabase } from '../../src/verify/verify-database.ts';
import { verifySince } from '../../src/verify/verify-since.ts';
import { createSweeper } from '../../workers/sweeper.ts';
import { openBook, type TestBook } from '../support/book.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

const MIGRATION = `
  CREATE TABLE samples (
    book_id uuid NOT NULL, id uuid NOT NULL, account_id uuid NOT NULL, status text NOT NULL, note text NOT NULL,
    due_at timestamptz(3), stuck_at timestamptz(3), stuck_error text, updated_at timestamptz(3) NOT NULL,
    PRIMARY KEY (book_id, id));
  CREATE INDEX samples_due ON samples (due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
  CREATE INDEX samples_due_by_book ON samples (status, book_id, due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
  CREATE INDEX samples_stuck ON samples (stuck_at) WHERE stuck_at IS NOT NULL;
  CREATE TABLE sample_parts (book_id uuid NOT NULL, id uuid NOT NULL, sample_id uuid NOT NULL, PRIMARY KEY (book_id, id))`;

/** A real group gives its ids a prefix in src/values/ids.ts; until then the compiler takes neither name. */
const [SAMPLE, PART] = ['sample', 'sample_part'] as unknown as [ResourceName, ResourceName];

interface Sample {
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly status: 'open' | 'done';
  readonly note: string;
  readonly dueAt: Instant | null;
  readonly updatedAt: Instant;
}

/** A column that is missing here, or is of another type: declared-tables.test.ts. */
const samples = tableOf<Sample>({
  name: 'samples',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('id', 'uuid'),
    column('account_id', 'uuid'),
    column('status', 'code', { changes: true }),
    column('note', 'text', { notPersonal: 'own_words' }),
    column('due_at', 'timestamptz', { changes: true }),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});

const sampleParts = tableOf<{ readonly id: Uuid; readonly sampleId: Uuid }>({
  name: 'sample_parts',
  key: 'id',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [column('id', 'uuid'), column('sample_id', 'uuid')],
});

const NO_ID = '00000000-0000-0000-0000-000000000000';

/** An open sample is due, or stuck. Left out of `checks`: nothing tells, as for every check that nobody wrote. */
const sampleCheck: RowCheck<Sample, Uuid> = {
  name: 'samples',
  pageRows: 2,
  async read({ pool, book }, { after, limit }) {
    const { rows } = await pool.query(
      `SELECT ${samples.selected()} FROM samples WHERE book_id = $1 AND id > $2 AND stuck_at IS NULL ORDER BY id LIMIT $3`,
      [book.id, after ?? NO_ID, limit],
    );
    return rows.map(samples.fromRow);
  },
  async readByIds({ pool, book }, ids) {
    return [...(await samples.load(pool, book.id, ids)).values()];
  },
  check({ report }, { id, status, dueAt }) {
    if ((status === 'open') === (dueAt !== null)) return;
    report({
      check: 'sample.due',
      ids: { sample: id },
      expected: 'due',
      actual: 'not due',
      detail: 'Nobody moves it.',
    });
  },
  placeOf: ({ id }, until) => behindNewIds(id, until),
};

/** An open sample has paid 1 into the pool. Left out: whatever its entries move there is nobody's. */
const sampleEquation = equationOf({
  rows: {
    name: 'entries of samples',
    pageRows: 2,
    async read({ pool, book }, page) {
      const found = await sampleCheck.read({ pool, book } as CheckContext, page);
      return withEntries({ pool, book }, found);
    },
    async readByIds(context, ids) {
      return withEntries(context, [...(await samples.load(context.pool, context.book.id, ids)).values()]);
    },
    check: () => undefined,
    placeOf: ({ sample }) => sample.id,
  } satisfies RowCheck<{ sample: Sample; entries: readonly BookedStep[] }, Uuid>,
  resources: [SAMPLE],
  codes: ['pool'],
  balancesOf: ({ sample: { id, accountId: customer }, entries }) => [
    { ...{ resource: SAMPLE, id, currency: 'EUR', entries }, chart: { pool: 1n }, customers: [[customer, -1n]] },
  ],
});

async function withEntries({ pool, book }: Pick<CheckContext, 'pool' | 'book'>, found: readonly Sample[]) {
  const ids = found.map(({ id }) => id);
  const entries = await readStepsOf(pool, book.id, ids);
  return found.map((sample) => ({ sample, entries: entries.get(sample.id) ?? [] }));
}

/** Accounts with samples, read-only. */
const samplesOfAccounts: Table<Uuid> = {
  name: 'samples_of_accounts',
  writeOrder: WRITE_ORDER.resources,
  derived: true,
  async load(trx, bookId, ids) {
    const { rows } = await trx.query('SELECT account_id FROM samples WHERE book_id = $1', [bookId]);
    return new Map(rows.filter((row) => ids.includes(row.account_id)).map((row) => [row.account_id, row.account_id]));
  },
  insert: () => Promise.reject(new Error('only read')),
  update: () => Promise.reject(new Error('only read')),
};

const keptOpenBySamples: ClosingBlocker = {
  types: ['samples'],
  touches: (accountId) => [{ table: samplesOfAccounts, ids: [accountId] }],
  find: (draft, accountId) => (draft.get(samplesOfAccounts, accountId) ? { type: 'samples' } : undefined),
};

const resource: DeclaredResource = {
  name: SAMPLE,
  table: samples,
  parent: null,
  events: ['sample.opened' as EventName],
  books: true,
};

const operatorReason: TimelineSubject['operatorReason'] = async (_db, _bookId, id) => ({ evidence: `about ${id}` });

/** Every member is asked for by the compiler but those with a question mark; tests below tell what they are for. */
const planted: Group = {
  name: 'samples',
  resources: [
    resource,
    { name: PART, table: sampleParts, parent: { name: SAMPLE, column: 'sample_id' }, events: [], books: false },
  ],
  // A declared table that is no group's: test/unit/declared-tables.test.ts. A table that is not declared, and has no rights
  // either: roles.test.ts, and the first statement of the application.
  tables: [],
  // A table with due_at and stuck_at that nobody moves: declared-tables.test.ts.
  moved: [
    {
      kind: 'sample',
      table: keyedByUuid('samples', 'id'),
      open: ['open'],
      due: [{ name: 'open samples', status: 'open', pool: 'ledger', job: 'payout.reserve', againMs: 30_000 }],
      overdue: {
        waitsSince: 'updated_at',
        finding: {
          check: 'sample.overdue',
          expected: 'moved',
          detail: 'Nobody moves it.',
          ids: ([id]) => ({ sample: id! }),
        },
      },
      shownId: (id) => `sample ${id}`,
    },
  ],
  checks: [sampleCheck as RowCheck],
  // An account of the chart without rows that say what stands there: below, and test/unit/equations.test.ts.
  equations: [sampleEquation],
  sweeps: () => [{ name: 'samples of nobody', round: async () => 3 }],
  blocksClosing: [keptOpenBySamples],
  gauges: [
    { name: 'samples_open', help: 'Open samples.', label: 'note', read: async () => [{ label: 'x', value: 7 }] },
  ],
};

const groups = [...GROUPS, planted];
const MOVED = groups.flatMap(({ moved }) => moved);
const log = createLogger('silent', 'test');
const MINUTE = 60_000;

let database: TestDatabase;
let owner: pg.Client;
let book: TestBook;
let pool: Pool;
let accountId: Uuid;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = new pg.Client(database.ownerUrl);
  await owner.connect();
  await owner.query(MIGRATION);
  await migrate({ ...database, rights: { ...RIGHTS, ...rightsOfGroup(planted) }, log });
  book = await openBook({ database: database.applicationUrl });
  pool = book.pool;
  accountId = await book.account({ amount: 1_000n });
});

beforeEach(async () => {
  await owner.query('TRUNCATE samples, sample_parts');
});

afterAll(async () => {
  await book?.close();
  await owner?.end();
  await database?.drop();
});

const now = () => Date.now();

/** Opens a sample with an entry and an event of its own, as an operator. */
async function openSample(change: Partial<Sample> = {}): Promise<Sample> {
  const id = newId();
  const poolAccount = chartAccountId(book.id, 'pool', 'EUR');
  const command: Command<Sample> = {
    id: newId(),
    name: 'sample.open',
    requestId: newId(),
    actor: 'operator:ann',
    touches: [
      { table: samples, ids: [id] },
      { table: accounts, ids: [accountId, poolAccount] },
    ],
    decide(state, moment) {
      const draft = new Draft(state, command, moment);
      const sample: Sample = {
        id,
        accountId,
        status: 'open',
        note: 'n',
        dueAt: moment.wall,
        updatedAt: moment.book,
        ...change,
      };
      draft.put(samples, id, sample);
      const postings = [{ debit: accountId, credit: poolAccount, amount: 1n }];
      const entry = draft.post({ resource: SAMPLE, resourceId: id, step: 'opened', postings });
      const object = { id, object: 'sample', status: 'open' };
      draft.emit({ type: 'sample.opened', objectId: id, objectSequence: 1, object, entries: [entry] });
      return draft.finish(sample);
    },
  };
  return book.submit(command);
}

test('the application may change what is declared to change, and nothing else', async () => {
  const { id } = await openSample();
  await book.rows('UPDATE samples SET stuck_at = NULL WHERE book_id = $1 AND id = $2', id);
  await expect(book.rows(`UPDATE samples SET note = 'x' WHERE book_id = $1`)).rejects.toMatchObject({ code: '42501' });
  await expect(book.rows('UPDATE sample_parts SET id = id WHERE book_id = $1')).rejects.toMatchObject({
    code: '42501',
  });
});

describe('the sweeper', () => {
  test('enqueues its due rows, postpones them, and runs its own sweep', async () => {
    const { id } = await openSample();
    const jobs: QueueJob[] = [];
    const sweep = await createSweeper({
      groups,
      pool,
      clock: { now: () => now() + MINUTE },
      log: pino({ level: 'silent' }),
      forms: EARLIEST_FORMS,
      rails: { all: () => [], files: () => [] },
      acquirers: { all: () => [] },
      processors: { all: () => [] },
      config: { SWEEP_INTERVAL_MS: 1_000, IDEMPOTENCY_BODY_RETENTION_DAYS: 30, NOTICE_RETENTION_DAYS: 90 },
      queues: {
        partitions: 1,
        add: async (_pool, _partition, added) => void jobs.push(...added),
        depth: async (of, partition) => ({
          queue: '',
          pool: of,
          partition,
          states: { waiting: 0, active: 0, delayed: 0, failed: 0 },
        }),
      },
    }).sweep();
    expect(sweep).toMatchObject({ 'open samples': 1, 'samples of nobody': 3 });
    expect(jobs.map(({ name, data }) => [name, data])).toEqual([['payout.reserve', { bookId: book.id, ids: [id] }]]);
    const { due_at: due } = await book.row<{ due_at: Instant }>('SELECT due_at FROM samples WHERE book_id = $1');
    expect(due).toBeGreaterThan(now() + MINUTE);
  });
});

test('stuck rows: marked, listed and shown by ops, retried', async () => {
  const { id } = await openSample();
  const kind = planted.moved[0]!;
  expect(await markStuck(pool, kind, { bookId: book.id, id, error: 'a bug', at: now() })).toBe(true);
  const rows = await listStuck(pool, MOVED, 10);
  expect(rows.map((row) => stuckView(MOVED, row))).toMatchObject([
    { kind: 'sample', id: `sample ${id}`, error: 'a bug' },
  ]);
  expect(await retryStuck(pool, MOVED, { rows, now: now() })).toBe(1);
  expect(await listStuck(pool, MOVED, 10)).toEqual([]);
});

test('the backlog and the metrics', async () => {
  await openSample();
  const later = now() + MINUTE;
  expect(await readBacklog(pool, MOVED, later)).toContainEqual(
    expect.objectContaining({ kind: 'sample', due: 1, stuck: 0 }),
  );
  const metrics = createMetrics({ groups, pool, queues: { depths: async () => [] }, clock: { now: () => later }, log });
  const text = await metrics.render();
  expect(text).toMatch(/countinghouse_due_oldest_seconds\{kind="sample"\} \d/);
  expect(text).toContain('samples_open{note="x"} 7');
  expect(text).toMatch(/countinghouse_waiting_oldest_seconds\{pool="ledger",kind="sample"\} \d/);
});

test('rows that nobody moved in time', async () => {
  const since = now() - 20 * MINUTE;
  const { id } = await openSample({ updatedAt: since });
  const found: Finding[] = [];
  const missing: MissingWorker[] = [];
  const look = () =>
    checkOverdue(pool, {
      groups,
      now: now(),
      report: (finding) => found.push(finding),
      missing: (worker) => missing.push(worker),
    });
  await look();
  expect(missing).toMatchObject([{ pool: 'ledger', kind: 'sample', rows: 1, since }]);
  expect(found).toEqual([]);
  // Nobody enqueues it, and so no worker could move it.
  await pool.query('UPDATE samples SET due_at = $2 WHERE id = $1', [id, new Date(now() + 24 * 60 * MINUTE)]);
  await look();
  expect(found).toMatchObject([{ check: 'sample.overdue', book: book.id, ids: { sample: id } }]);
});

describe('verification', () => {
  const rulesOf = (found: readonly Finding[]) => [...new Set(found.map(({ check }) => check))];
  const onFinding = (found: Finding[]) => (finding: Finding) => void found.push(finding);

  const whole = async () => {
    const found: Finding[] = [];
    await verifyDatabase(pool, { groups, onFinding: onFinding(found) });
    return rulesOf(found);
  };
  const since = async () => {
    const found: Finding[] = [];
    await verifySince(pool, {
      groups,
      since: { moment: now() - MINUTE },
      clock: systemClock,
      onFinding: onFinding(found),
    });
    return rulesOf(found);
  };
  const audit = async () => {
    let byKind: ReadonlyMap<string, number> = new Map();
    const counts = {
      rows: () => undefined,
      round: () => undefined,
      findings: (found: typeof byKind) => (byKind = found),
    };
    const turns = createAudit({ groups, pool, clock: systemClock, log: pino({ level: 'silent' }), counts });
    while (!(await turns.turn()));
    return [...byKind.keys()];
  };

  test.each([
    ['whole', whole],
    ['since', since],
    ['by the audit', audit],
  ])('%s: finds a sample that nobody would move, and entries of one that is gone', async (_, rules) => {
    const [unmoved, gone] = [await openSample(), await openSample()];
    await owner.query('UPDATE samples SET due_at = NULL WHERE id = $1', [unmoved.id]);
    await owner.query('DELETE FROM samples WHERE id = $1', [gone.id]);
    expect((await rules()).sort()).toEqual(['journal.resource', 'sample.due']);
  });

  test('finds what a group books without an equation', async () => {
    await openSample();
    const found: Finding[] = [];
    const untied = [...GROUPS, { ...planted, equations: [] }];
    await verifyDatabase(pool, { groups: untied, onFinding: onFinding(found) });
    expect(rulesOf(found)).toContain('account.untied');
  });

  test('finds a key whose sample is gone, and one whose part is', async () => {
    for (const name of [SAMPLE, PART])
      await pool.query(
        `INSERT INTO idempotency_keys (book_id, key, fingerprint, status, body, resource, resource_id, request_id, created_at)
         VALUES ($1, $2, '', 201, '{}', $2, $3, $3, now())`,
        [book.id, name, newId()],
      );
    const found: Finding[] = [];
    await verifyDatabase(pool, { groups, onFinding: onFinding(found) });
    const keys = found.filter(({ check }) => check === 'idempotency.resource').map(({ ids }) => ids.idempotency_key);
    expect(keys.sort()).toEqual([SAMPLE, PART].sort());
  });
});

test('the timeline of a sample that an operator changed', async () => {
  const { id } = await openSample();
  const { items } = await readTimeline(pool, {
    bookId: book.id,
    resource: { ...resource, operatorReason },
    id,
    page: { limit: 20 },
  });
  expect(items).toMatchObject([
    { type: 'sample.opened', actor: { type: 'operator', id: 'ann' }, reason: { evidence: `about ${id}` } },
  ]);
});

test('an account with a sample is not closed', async () => {
  const empty = await book.account();
  const close = (blockers: readonly ClosingBlocker[]) =>
    book.submit(
      changeAccountStatus('close', { accountId: empty, currency: 'EUR', requestId: newId(), actor: 'test' }, blockers),
    );
  await owner.query(
    `INSERT INTO samples (book_id, id, account_id, status, note, updated_at) VALUES ($1, gen_random_uuid(), $2, 'done', 'n', now())`,
    [book.id, empty],
  );
  const blockers = groups.flatMap((group) => group.blocksClosing);
  expect(await close(blockers)).toMatchObject({
    refused: 'account_not_empty',
    facts: { blocked_by: [{ type: 'samples' }] },
  });
});

describe('the event document', () => {
  const documented = (documents: Parameters<typeof registerEvents>[1]) => {
    const registry = new OpenAPIRegistry();
    registerEvents(registry, documents);
    return registry.definitions.flatMap((each) => (each.type === 'webhook' ? [each.webhook.path] : []));
  };
  const declared = (of: readonly Group[]) =>
    of.flatMap(({ resources, events = [] }) => [...resources.flatMap((each) => each.events), ...events]);

  test('has the events that a group declares', () => {
    const document = {
      names: resource.events,
      object: z.object({ id: z.string() }),
      schemaName: 'SampleEvent',
      summary: { 'sample.opened': 'A sample was opened' },
      when: { 'sample.opened': 'Now.' },
    };
    expect(documented([...EVENT_DOCUMENTS, document])).toContain('sample.opened');
  });

  test('names the events of a group that is not documented', () => {
    const missing = (of: readonly Group[]) =>
      declared(of).filter((name) => !documented(EVENT_DOCUMENTS).includes(name));
    expect(missing(GROUPS)).toEqual([]);
    expect(missing(groups)).toEqual(['sample.opened']);
  });
});
