/**
 * Shared by the webhook tests: a database, a test and a live book, a committer with the real sink, and short helpers.
 */

import { expect } from 'vitest';
import { lowBalances } from '../../../src/accounts/account/low-balance.ts';
import { EARLIEST_FORMS } from '../../../src/db/forms.ts';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { createSecretBox, type SecretBox } from '../../../src/db/secret-box.ts';
import type { Stored } from '../../../src/idempotency/idempotency-key.ts';
import type { BookId } from '../../../src/ledger/book/book.ts';
import type { Command, Refusal } from '../../../src/ledger/command/command.ts';
import { Draft } from '../../../src/ledger/command/draft.ts';
import { Committer } from '../../../src/ledger/commit/committer.ts';
import { openOrganisation } from '../../../src/organisations/open-organisation.ts';
import { findBookId } from '../../../src/organisations/organisation-store.ts';
import { createLogger } from '../../../src/process/log.ts';
import type { Clock } from '../../../src/values/clock.ts';
import { newId, parsePublicId, type Uuid } from '../../../src/values/ids.ts';
import { parseAllowList } from '../../../src/values/public-address.ts';
import { newSecret } from '../../../src/values/standard-webhooks.ts';
import { type CreateEndpoint, createEndpoint } from '../../../src/webhooks/actions/manage-endpoint.ts';
import { webhookSink } from '../../../src/webhooks/backlogs/event-sink.ts';
import type { NewSecret } from '../../../src/webhooks/endpoints/endpoint-secret.ts';
import { createTestDatabase } from '../../support/postgres.ts';

export const START = Date.parse('2026-03-01T12:00:00.000Z');
export const log = createLogger('silent', 'test');
export const allow = parseAllowList(['127.0.0.1:*']);

export interface EnqueuedRow {
  bookId: BookId;
  pool: string;
  job: string;
  id: string;
}

export interface World {
  pool: Pool;
  ownerUrl: string;
  applicationUrl: string;
  superuserUrl: string;
  clock: Clock & { set(moment: number): void };
  committer: Committer;
  secretBox: SecretBox;
  testBook: BookId;
  liveBook: BookId;
  enqueued: EnqueuedRow[];
  /** A fresh book for a test that counts rows. */
  newBook(): Promise<BookId>;
  submit(bookId: BookId, command: Command<Stored | Refusal>): Promise<Stored | Refusal>;
  /** The secret as a command takes it, to show it in its answer. */
  newSecret(bookId: BookId, secret: string): NewSecret;
  /** Creates an endpoint; returns its id and the secret in the clear. */
  endpoint(bookId: BookId, given?: Partial<CreateEndpoint>): Promise<{ id: Uuid; secret: string }>;
  /** Emits `count` events in one commit; returns the ids of the deliveries that were enqueued. */
  emit(bookId: BookId, type: string, count?: number): Promise<string[]>;
  close(): Promise<void>;
}

export async function createWorld(): Promise<World> {
  const database = await createTestDatabase();
  const pool = createPool({ url: database.applicationUrl, name: 'test', size: 8, log });
  let now = START;
  const clock = {
    now: () => now,
    set(moment: number) {
      now = moment;
    },
  };
  const enqueued: EnqueuedRow[] = [];
  const committer = new Committer({
    watch: lowBalances,
    pool,
    clock,
    sink: webhookSink,
    forms: EARLIEST_FORMS,
    enqueue: (bookId, jobs) => enqueued.push(...jobs.map((job) => ({ bookId, ...job }))),
  });
  const secretBox = createSecretBox(database.encryptionKey);
  const fresh = (bookId: BookId, secret: string) => ({ bookId, idempotencyKey: null, secret, secretBox });
  let organisations = 0;
  const open = async () => (await openOrganisation(pool, { name: `Acme ${++organisations}`, clock })).id;
  const organisation = await open();

  return {
    pool,
    ownerUrl: database.ownerUrl,
    applicationUrl: database.applicationUrl,
    superuserUrl: database.superuserUrl,
    clock,
    committer,
    secretBox,
    enqueued,
    testBook: (await findBookId(pool, organisation, 'test'))!,
    liveBook: (await findBookId(pool, organisation, 'live'))!,
    newBook: async () => (await findBookId(pool, await open(), 'test'))!,
    newSecret: fresh,
    submit: (bookId, command) => committer.submit(bookId, command),

    async endpoint(bookId, given = {}) {
      const secret = newSecret();
      const command = createEndpoint({
        requestId: newId(),
        actor: 'test',
        url: 'https://example.com/hooks',
        events: ['*'],
        description: null,
        metadata: {},
        ...fresh(bookId, secret),
        allow,
        ...given,
      });
      const stored = taken(await committer.submit(bookId, command));
      return { id: parsePublicId('webhookEndpoint', (JSON.parse(stored.body.text) as { id: string }).id)!, secret };
    },

    async emit(bookId, type, count = 1) {
      const before = enqueued.length;
      await committer.submit(bookId, emission(type, count));
      return enqueued
        .slice(before)
        .filter((row) => row.bookId === bookId && row.job === 'delivery.send')
        .map(({ id }) => id);
    },

    async close() {
      await committer.close();
      await pool.end();
      await database.drop();
    },
  };
}

function emission(type: string, count: number): Command<null> {
  const id = newId();
  return {
    id,
    name: 'test.emit',
    requestId: newId(),
    touches: [],
    decide(state, moment) {
      const draft = new Draft(state, { id, requestId: newId() }, moment);
      for (let number = 1; number <= count; number++) {
        draft.emit({
          type,
          objectId: newId(),
          objectSequence: 1,
          object: { id: `object_${number}`, object: 'test', text: 'zwölf €' },
        });
      }
      return draft.finish(null);
    },
  };
}

export function taken(answer: Stored | Refusal): Stored {
  if (answer.refused) throw new Error(`refused: ${answer.refused} ${answer.detail ?? ''}`);
  return answer;
}

export function bodyOf(answer: Stored | Refusal): Record<string, unknown> {
  return JSON.parse(taken(answer).body.text) as Record<string, unknown>;
}

export function expectRefusal(answer: Stored | Refusal): Refusal {
  expect(answer).toHaveProperty('refused');
  return answer as Refusal;
}

export interface DeliveryState {
  status: string;
  attempts: number;
  retry_at: number | null;
  due_at: number | null;
}

/** The delivery rows of an endpoint, in order of their events. */
export async function deliveriesOf(pool: Pool, endpointId: Uuid): Promise<DeliveryState[]> {
  const { rows } = await pool.query<DeliveryState>(
    'SELECT status, attempts, retry_at, due_at FROM webhook_deliveries WHERE endpoint_id = $1 ORDER BY event_sequence',
    [endpointId],
  );
  return rows;
}

export interface BacklogState {
  behind_since: number | null;
  retry_at: number | null;
  due_at: number | null;
  retry_attempts: number;
  waiting_from: bigint | null;
}

export const NO_BACKLOG = { behind_since: null, retry_at: null, due_at: null, retry_attempts: 0, waiting_from: null };

/** The backlog columns of an endpoint. */
export async function backlogOf(pool: Pool, endpointId: Uuid): Promise<BacklogState> {
  const { rows } = await pool.query<BacklogState>(
    'SELECT behind_since, retry_at, due_at, retry_attempts, waiting_from FROM webhook_endpoints WHERE id = $1',
    [endpointId],
  );
  return rows[0]!;
}
