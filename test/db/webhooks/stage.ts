/** A stage for deliveries: a fresh book for each test, and deliverers and receivers that are closed after it. */
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import {
  createDeliverer,
  type Deliverer,
  type DelivererOptions,
} from '../../../src/webhooks/sending/deliver-webhook.ts';
import { type Answer, type Receiver, startReceiver } from '../../support/receiver.ts';
import { createWorld, log, START, type World } from './world.ts';

export interface Stage {
  readonly world: World;
  /** The book of the running test. */
  readonly bookId: string;
  /** Rows and errors passed to `rowFailed`. */
  readonly failures: { id: string; error: unknown }[];
  deliverer(options?: Partial<DelivererOptions>): Deliverer;
  receiver(answer?: Answer): Promise<Receiver>;
  after(undo: () => Promise<unknown>): void;
}

export interface RecordedAttempt {
  attempt: number;
  status: number | null;
  error: string | null;
  response: string | null;
}

export function setStage(): Stage {
  let world: World;
  let bookId: string;
  let failures: { id: string; error: unknown }[] = [];
  const cleanUp: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    world.clock.set(START);
    bookId = await world.newBook();
    failures = [];
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    for (const undo of cleanUp.splice(0).reverse()) await undo();
  });

  return {
    get world() {
      return world;
    },
    get bookId() {
      return bookId;
    },
    get failures() {
      return failures;
    },
    deliverer(options = {}) {
      const { pool, committer, secretBox, clock } = world;
      const made = createDeliverer({
        pool,
        committer,
        secretBox,
        clock,
        log,
        allowHosts: ['127.0.0.1:*'],
        random: () => 0.5,
        rowFailed: async (_rows, { id }, error) => failures.push({ id, error }) > 0,
        ...options,
      });
      cleanUp.push(() => made.close());
      return made;
    },
    async receiver(answer) {
      const made = await startReceiver(answer);
      cleanUp.push(made.close);
      return made;
    },
    after(undo) {
      cleanUp.push(undo);
    },
  };
}

export async function attemptsOf({ pool }: World, endpointId: Uuid): Promise<RecordedAttempt[]> {
  const { rows } = await pool.query<RecordedAttempt>(
    'SELECT attempt, status, error, response FROM webhook_attempts WHERE endpoint_id = $1 ORDER BY event_sequence, attempt',
    [endpointId],
  );
  return rows;
}

export const change = (endpointId: Uuid) => ({ endpointId, requestId: newId(), actor: 'test' });
