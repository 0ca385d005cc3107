/**
 * The iso20022 rail keeps to what every party must (test/support/conformance.ts), with a bank that takes its files and answers in files. Its
 * answer to a submission is that it waits for a file: one that has moved or was refused is submitted again once the bank has answered.
 */
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import type { Instruction, RailAnswer } from '../../../src/rails/rail.ts';
import { openRail, TestBank, toIban } from '../../support/bank.ts';
import { camt054, pain002 } from '../../support/bank-files.ts';
import {
  type ConformanceAdapter,
  type Decision,
  describeConformance,
  type Submitted,
} from '../../support/conformance.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let superuser: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = new pg.Client({ connectionString: database.superuserUrl });
  await superuser.connect();
});
afterAll(async () => {
  await superuser?.end();
  await database?.drop();
});

/** Long enough for the statements before the one that is locked. */
const SILENT_MS = 1_000;
const HANGING_MS = 200;

/** While it works, nobody reads or writes these rows. */
async function locked<Answer>(table: 'bank_files' | 'bank_instructions', work: () => Promise<Answer>): Promise<Answer> {
  await superuser.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  try {
    return await work();
  } finally {
    await superuser.query('ROLLBACK');
  }
}

/** What a bank knows: the file that has a payment, and what became of it. */
class FileBank {
  readonly #bank: TestBank;
  readonly #files: string[] = [];
  readonly #decided = new Map<string, Decision>();
  #messages = 0;

  constructor(bank: TestBank) {
    this.#bank = bank;
  }

  async take(): Promise<void> {
    await this.#bank.rail.work();
    for (const name of this.#bank.list('outbox')) this.#files.push(this.#bank.read('outbox', name));
    this.#bank.takeAll();
  }

  /** Each file that carries it pays it. */
  movements(endToEndId: string): number {
    if (this.#decided.get(endToEndId) !== 'moved') return 0;
    return this.#files.join('').split(`<EndToEndId>${endToEndId}<`).length - 1;
  }

  async decide(endToEndId: string, decision: Decision): Promise<void> {
    this.#decided.set(endToEndId, decision);
    this.#messages += 1;
    const id = `${this.#bank.of.settings.name}-${this.#messages}`;
    const file = this.#files.find((one) => one.includes(endToEndId))!;
    const messageId = /<MsgId>(.*?)<\/MsgId>/.exec(file)![1]!;
    const transactions = [{ endToEndId, status: 'RJCT', reason: 'AC04' }];
    const content =
      decision === 'moved'
        ? camt054([{ amount: '9.00', bankReference: id, transactions: [{ endToEndId }] }], { id })
        : pain002({ id, messageId, payments: [{ paymentInformationId: `${messageId}-1`, transactions }] });
    this.#bank.send(`${id}.xml`, content);
    await this.#bank.rail.work();
  }
}

async function fileAdapter(): Promise<ConformanceAdapter> {
  const test = new TestBank(database);
  const { rail } = test;
  const bank = new FileBank(test);
  const silent = openRail(test.of, undefined, { callTimeoutMs: SILENT_MS });
  const hung = openRail(test.of, undefined, { callTimeoutMs: HANGING_MS });
  const carried = new Map<string, Promise<void>>();

  /** The bank answers once, and its word is heard by the next submission. */
  async function carry({ originator, endToEndId }: Instruction, outcome: Decision): Promise<void> {
    await bank.take();
    await bank.decide(endToEndId, outcome);
    const told = await rail.notices(1_000);
    const ids = told
      .filter((one) => one.originator === originator && one.endToEndId === endToEndId)
      .map(({ id }) => id);
    await rail.acknowledge(ids);
  }

  async function submit(instruction: Instruction, outcome: Submitted['outcome']): Promise<RailAnswer> {
    const answer = await rail.submit(instruction);
    if (answer.status !== 'pending') return answer;
    if (outcome === 'open') {
      await bank.take();
      return answer;
    }
    const { endToEndId } = instruction;
    if (!carried.has(endToEndId)) carried.set(endToEndId, carry(instruction, outcome));
    await carried.get(endToEndId);
    return rail.submit(instruction);
  }

  return {
    party: rail,
    words: { moved: 'paid', refused: 'rejected', open: 'pending' },
    async submit({ outcome, silent: isSilent, amount, ...of }) {
      const instruction = toIban(amount, of);
      if (!isSilent) return submit(instruction, outcome);
      // It is recorded, and its answer is lost behind the lock.
      const lost = await locked('bank_files', () => silent.rail.submit(instruction).catch((error: unknown) => error));
      await submit(instruction, outcome);
      throw lost;
    },
    movements: async (_, endToEndId) => bank.movements(endToEndId),
    decide: (_, endToEndId, decision) => bank.decide(endToEndId, decision),
    async hanging() {
      const { callTimeoutMs } = hung.rail;
      return { callTimeoutMs, inquire: (...asked) => locked('bank_instructions', () => hung.rail.inquire(...asked)) };
    },
    async close() {
      await silent.pool.end();
      await hung.pool.end();
      await test.close();
    },
  };
}

describeConformance('the iso20022 rail', fileAdapter);
