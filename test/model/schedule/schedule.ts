/**
 * One schedule: clients, a few processes and the outside world, step by step on one thread. Each step is drawn from the
 * seed: a gate passes, with or without a fault, a job is taken, a process dies and another starts, a clock moves, or
 * the rail acts. After the steps the faults end, and everything must become final.
 */

import { EARLIEST_FORMS } from '../../../src/db/forms.ts';
import type { Pool } from '../../../src/db/pool.ts';
import { createSecretBox } from '../../../src/db/secret-box.ts';
import type { Stored } from '../../../src/idempotency/idempotency-key.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { parseAllowList } from '../../../src/values/public-address.ts';
import { createEndpoint } from '../../../src/webhooks/actions/manage-endpoint.ts';
import { webhookSink } from '../../../src/webhooks/backlogs/event-sink.ts';
import { openBook } from '../../support/book.ts';
import { RETURNS_APART } from '../../support/forms.ts';
import { ACCOUNTS, Clients, type Intent } from './clients.ts';
import { HeldBooks } from './gated-transaction.ts';
import { OperatorModel } from './operator-model.ts';
import type { ScheduleBook } from './part.ts';
import { SCHEDULE_PARTS } from './parts.ts';
import { QueueModel } from './queue-model.ts';
import { RailModel } from './rail-model.ts';
import { ReceiverModel } from './receiver-model.ts';
import { type Fault, Scheduler } from './scheduler.ts';
import { SeededRandom } from './seeded-random.ts';
import { SimulatedProcess, type Surroundings } from './simulated-process.ts';
import { leadPausesTo, VirtualClock } from './virtual-time.ts';

export interface ScheduleOptions {
  readonly seed: number;
  /** The number of steps before the faults end. */
  readonly steps: number;
  readonly pool: Pool;
  readonly encryptionKey: string;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Requests of a schedule, shared out among its books. */
const INTENTS = 50;
/** Several books, so that they share batches: more than may be busy or isolated at once, so that some wait. */
const BOOKS = [1, 3, 6];
/** Work that is not final after this many rounds never will be. */
const ROUNDS = 400;
const LONGEST_ROUND_MS = 6 * 60 * MINUTE;

export class Schedule {
  readonly scheduler: Scheduler;
  readonly clock = new VirtualClock(Date.now());
  readonly books: readonly ScheduleBook[];
  readonly rail: RailModel;
  readonly operator: OperatorModel;
  readonly receiver: ReceiverModel;
  readonly bugs: unknown[] = [];
  readonly pool: Pool;
  readonly #around: Surroundings;
  readonly #queues: QueueModel;
  readonly #faults: Readonly<Partial<Record<Fault, number>>>;
  readonly #deathOdds: number;
  readonly #wrongClocks: number;
  #processes: SimulatedProcess[] = [];
  #born = 0;
  /** Requests to living processes that have no answer so far. */
  readonly #asking = new Map<object, { process: SimulatedProcess; what: string }>();

  private constructor(options: ScheduleOptions, random: SeededRandom, books: readonly OpenedBook[]) {
    // Each schedule draws its own mix of faults: with all of them always, rare effects would never show.
    const odds = () => random.pick([0, 0, 0.02, 0.08, 0.25]);
    this.pool = options.pool;
    this.#faults = { lost: odds(), refused: odds(), late: odds(), 'dies before': odds() / 4, 'dies after': odds() / 4 };
    this.#deathOdds = random.pick([0, 0.2, 1]);
    this.#wrongClocks = random.pick([0, 0.05, 0.3]);
    this.scheduler = new Scheduler(random, { still: odds() });
    this.#queues = new QueueModel(this.scheduler, { vanish: odds(), repeat: odds() });
    this.rail = new RailModel(this.scheduler, this.clock, { contradicts: odds(), repeats: odds() * 4 });
    this.receiver = new ReceiverModel(this.scheduler, { failed: odds(), silent: odds() });
    const database = { held: new HeldBooks(), busy: books.length > 1 ? random.pick([0, 0.3, 0.8]) : 0 };
    this.operator = new OperatorModel(
      {
        ...{ scheduler: this.scheduler, clock: this.clock, pool: options.pool, database },
        ...{ bookIds: books.map(({ bookId }) => bookId), onBug: this.#onBug },
      },
      random.pick([0, 0.1, 0.4]),
    );
    const kinds = SCHEDULE_PARTS.flatMap((part) => part.kinds);
    this.books = books.map((book) => ({
      ...book,
      clients: new Clients({ random, clock: this.clock, kinds }, book),
      ...{
        pool: options.pool,
        scheduler: this.scheduler,
        rail: this.rail,
        operator: this.operator,
        receiver: this.receiver,
      },
    }));
    this.#around = {
      ...{ scheduler: this.scheduler, clock: this.clock, pool: options.pool, queues: this.#queues },
      ...{ rail: this.rail, receiver: this.receiver, onBug: this.#onBug },
      database,
      secretBox: createSecretBox(options.encryptionKey),
    };
    this.scheduler.onDeath((owner) => {
      if (!this.#processes.some((process) => process === owner)) return;
      this.#queues.died(owner);
      for (const [asked, { process }] of this.#asking) if (process === owner) this.#asking.delete(asked);
      this.#processes = this.#processes.filter((process) => process !== owner);
      this.#begin();
    });
    for (let count = 0; count < 3; count++) this.#begin();
  }

  static async open(options: ScheduleOptions): Promise<Schedule> {
    const random = new SeededRandom(options.seed);
    await OperatorModel.clear(options.pool);
    const books: OpenedBook[] = [];
    for (let left = random.pick(BOOKS); left > 0; left--) books.push(await openScheduleBook(options));
    return new Schedule(options, random, books);
  }

  /** Plays the schedule to its end. Throws when work never becomes final. */
  async play(steps: number): Promise<void> {
    leadPausesTo(this.scheduler);
    try {
      while (this.scheduler.steps < steps && this.bugs.length === 0) await this.#step();
      await this.#end();
    } finally {
      leadPausesTo(undefined);
      for (const process of this.#processes) process.isAlive = false;
    }
  }

  readonly #onBug = (error: unknown): void => {
    this.bugs.push(error);
  };

  #begin(): void {
    const { random } = this.scheduler;
    const mostMs = random.chance(this.#wrongClocks) ? random.pick([20, 120, 1_000]) * MINUTE : 2 * SECOND;
    const skewMs = random.below(2 * mostMs) - mostMs;
    const maxBatch = random.pick([1, 3, 1_000]);
    // Some have learned of the contract, and some have not.
    const forms = random.pick([
      { ...EARLIEST_FORMS, laterJobs: true },
      { ...RETURNS_APART, multiBookJobs: true, laterJobs: true },
    ]);
    this.#processes.push(new SimulatedProcess(`process ${++this.#born}`, this.#around, { skewMs, maxBatch, forms }));
  }

  async #step(): Promise<void> {
    const { random } = this.scheduler;
    this.scheduler.steps += 1;
    if (this.scheduler.ready > 0 && random.chance(0.75)) return this.scheduler.letOne(this.#faults);
    const act = random.weighted([
      { weight: this.#asking.size < 6 + 2 * this.books.length ? 8 : 0, item: () => this.#askNext() },
      { weight: this.#queues.waiting > 0 ? 10 : 0, item: () => this.#takeJob() },
      { weight: 2, item: () => this.#sweep() },
      { weight: 3, item: () => this.#advance(random.pick([20, 200, 2 * SECOND, 10 * SECOND, 40 * SECOND])) },
      { weight: 0.05, item: () => this.#advance(16 * MINUTE) },
      { weight: 2, item: () => this.#actOutside() },
      { weight: this.#deathOdds, item: () => this.scheduler.kill(random.pick(this.#processes)) },
      { weight: this.#deathOdds / 4, item: () => this.#flush() },
    ]);
    act();
    await this.scheduler.settle();
  }

  /** Without faults: clients repeat unanswered requests, and due rows are enqueued, until no work is left. */
  async #end(): Promise<void> {
    this.scheduler.hurry();
    this.#queues.isFaulty = false;
    this.receiver.isFaulty = false;
    await this.#calm();
    for (const { clients } of this.books) clients.reopen();
    let waitMs = 35 * SECOND;
    for (let round = 0; round < ROUNDS && this.bugs.length === 0; round++) {
      for (const part of SCHEDULE_PARTS) part.close?.(this);
      await this.#calm();
      for (const book of this.books) for (const intent of book.clients.unanswered) this.#ask(book, intent);
      await this.#calm();
      if (await this.#isOver()) return this.#expectAnswered();
      this.#advance(waitMs);
      waitMs = Math.min(waitMs * 1.2, LONGEST_ROUND_MS);
      this.#sweep();
      await this.#calm();
    }
    if (this.bugs.length === 0) throw new Error('It does not come to its end');
  }

  /** Nothing is under way, so a process that lives has answered every request, however often it was sent. */
  #expectAnswered(): void {
    for (const { process, what } of this.#asking.values())
      this.bugs.push(new Error(`${process.name} never answered the request to ${what}`));
  }

  async #isOver(): Promise<boolean> {
    const open = await Promise.all(
      this.books.flatMap(({ bookId }) => SCHEDULE_PARTS.map((part) => part.countOpen?.(this.pool, bookId))),
    );
    const isTold = SCHEDULE_PARTS.every((part) => !part.untold?.(this));
    return open.every((rows) => !rows) && isTold && this.books.every(({ clients }) => clients.unanswered.length === 0);
  }

  /** Runs until no gate and no job waits. */
  async #calm(): Promise<void> {
    await this.scheduler.settle();
    while (this.bugs.length === 0 && (this.scheduler.ready > 0 || this.#queues.waiting > 0)) {
      this.scheduler.steps += 1;
      if (this.scheduler.ready > 0) await this.scheduler.letOne({});
      else {
        this.#takeJob();
        await this.scheduler.settle();
      }
    }
  }

  #askNext(): void {
    const book = this.scheduler.random.pick(this.books);
    this.#ask(book, book.clients.next(Math.ceil(INTENTS / this.books.length)));
  }

  #ask(book: ScheduleBook, intent: Intent): void {
    const process = this.scheduler.random.pick(this.#processes);
    const what = `${intent.wish.do} (${intent.key} of book ${this.books.indexOf(book)})`;
    this.scheduler.note(`${process.name} is asked to ${what}`);
    const asked = book.clients.ask(process.runtime, intent, this.#onBug);
    this.#asking.set(asked, { process, what });
    void asked.finally(() => this.#asking.delete(asked));
  }

  #takeJob(): void {
    const process = this.scheduler.random.pick(this.#processes);
    const job = this.#queues.take(process);
    this.scheduler.note(job ? `${process.name} takes ${job.name}` : 'a job vanishes');
    this.scheduler.count(job?.name ?? 'jobs that vanished');
    if (job) process.answer(job, this.#onBug);
  }

  #sweep(): void {
    const process = this.scheduler.random.pick(this.#processes);
    this.scheduler.note(`${process.name} sweeps`);
    process.sweeper.sweep().catch(this.#onBug);
  }

  #advance(ms: number): void {
    this.scheduler.note(`${ms} ms pass`);
    this.clock.advance(Math.round(ms));
  }

  #actOutside(): void {
    for (const part of SCHEDULE_PARTS) part.act?.(this);
  }

  #flush(): void {
    this.scheduler.note('the queues are flushed');
    this.#queues.flush();
  }
}

interface OpenedBook {
  readonly bookId: Uuid;
  readonly accounts: readonly Uuid[];
  readonly endpointUrl: string;
}

async function openScheduleBook({ pool, encryptionKey }: ScheduleOptions): Promise<OpenedBook> {
  const book = await openBook({ database: pool, sink: webhookSink });
  const accounts: Uuid[] = [];
  for (const amount of ACCOUNTS) accounts.push(await book.account({ amount }));
  // A schedule that failed leaves deliveries in the database, which the sweepers of later ones find.
  const endpointUrl = `https://hooks.test/${book.id}`;
  const answer = await book.submit(
    createEndpoint({
      requestId: newId(),
      actor: 'test',
      url: endpointUrl,
      events: ['*'],
      description: null,
      metadata: {},
      bookId: book.id,
      idempotencyKey: null,
      secret: `whsec_${Buffer.alloc(32, 5).toString('base64')}`,
      secretBox: createSecretBox(encryptionKey),
      allow: parseAllowList(['hooks.test:443']),
    }),
  );
  if ((answer as Stored).status !== 201) throw new Error(`No endpoint: ${JSON.stringify(answer)}`);
  await book.committer.close();
  return { bookId: book.id, accounts, endpointUrl };
}
