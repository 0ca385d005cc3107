/** A book in a real database without the API: an organisation, a committer, and accounts with money. */

import { changeAccountStatus } from '../../src/accounts/account/change-account.ts';
import { lowBalances } from '../../src/accounts/account/low-balance.ts';
import { openAccount } from '../../src/accounts/account/open-account.ts';
import { receiveTransfer } from '../../src/accounts/inbound-transfers/receive-transfer.ts';
import { EARLIEST_FORMS } from '../../src/db/forms.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { GROUPS } from '../../src/groups.ts';
import type { Stored } from '../../src/idempotency/idempotency-key.ts';
import { type KeptAnswer, once } from '../../src/idempotency/once.ts';
import { accounts } from '../../src/ledger/account/account-table.ts';
import type { BookId, Mode } from '../../src/ledger/book/book.ts';
import type { Command, JobRow, Refusal } from '../../src/ledger/command/command.ts';
import { Draft } from '../../src/ledger/command/draft.ts';
import type { EventSink } from '../../src/ledger/commit/batch.ts';
import { Committer, type CommitterOptions } from '../../src/ledger/commit/committer.ts';
import { type Log, WRITE_ORDER } from '../../src/ledger/rows/table.ts';
import { openOrganisation } from '../../src/organisations/open-organisation.ts';
import { findBookId } from '../../src/organisations/organisation-store.ts';
import { applyRailReport } from '../../src/payouts/outcomes/apply-rail-report.ts';
import { type AcceptPayout, acceptPayout } from '../../src/payouts/payout/accept-payout.ts';
import type { Payout } from '../../src/payouts/payout/payout.ts';
import { payouts } from '../../src/payouts/payout/payout-table.ts';
import type { RailReport } from '../../src/payouts/payout/rail-report.ts';
import { reservePayout } from '../../src/payouts/payout/reserve-payout.ts';
import { createLogger } from '../../src/process/log.ts';
import { type Clock, systemClock } from '../../src/values/clock.ts';
import { newId, type ResourceName, type Uuid } from '../../src/values/ids.ts';
import { webhookEndpoints } from '../../src/webhooks/endpoints/endpoint-table.ts';
import { PLAIN_FINGERPRINTS } from './fingerprints.ts';

const BLOCKERS = GROUPS.flatMap((group) => group.blocksClosing);

const log = createLogger('silent', 'test');

/** Stores events without deliveries. */
export const NO_SINK: EventSink = {
  subscribers: () => Promise.resolve([]),
  subscribersOf: () => Promise.resolve(new Map()),
  endpoints: [webhookEndpoints],
  deliveries: { name: 'nowhere', writeOrder: WRITE_ORDER.deliveries, append: () => Promise.resolve() },
};

export interface BookOptions extends Partial<Omit<CommitterOptions, 'pool'>> {
  /** The application's URL of a database, or a pool on it. */
  database: string | Pool;
  mode?: Mode;
  /** An existing book, which gets a further committer. */
  bookId?: BookId;
  poolSize?: number;
  queryTimeoutMs?: number;
}

export interface TestBook {
  readonly id: BookId;
  readonly pool: Pool;
  readonly committer: Committer;
  /** The number of commands of each committed batch. */
  readonly batches: number[];
  readonly errors: { code?: string; message: string }[];
  readonly jobs: JobRow[];
  submit<Answer>(command: Command<Answer>, deadlineMs?: number): Promise<Answer>;
  /** Opens an account with this balance, funded by simulation: pool → customer. */
  account(options?: { currency?: string; amount?: bigint; overdraftLimit?: bigint }): Promise<Uuid>;
  fund(accountId: Uuid, amount: bigint, currency?: string): Promise<void>;
  setStatus(action: 'freeze' | 'unfreeze' | 'close', accountId: Uuid, currency?: string): Promise<Stored | Refusal>;
  accept(change: Partial<AcceptPayout> & { accountId: Uuid }): Promise<Payout>;
  reserve(payout: Payout): Promise<Payout>;
  settle(payout: Payout, report: Partial<RailReport>): Promise<Payout>;
  /** One row of a query. The id of this book is $1. */
  row<Row>(sql: string, ...values: unknown[]): Promise<Row>;
  rows<Row>(sql: string, ...values: unknown[]): Promise<Row[]>;
  /** Closes the committer, and the pool if this book opened it. */
  close(): Promise<void>;
}

export async function openBook(options: BookOptions): Promise<TestBook> {
  const { database, mode = 'test', bookId, poolSize = 4, queryTimeoutMs, ...committerOptions } = options;
  const pool =
    typeof database === 'string'
      ? createPool({ url: database, name: 'test', size: poolSize, log, queryTimeoutMs })
      : database;
  const clock: Clock = options.clock ?? systemClock;
  const id = bookId ?? (await newBook(pool, { mode, clock }));
  const [batches, errors, jobs]: [number[], TestBook['errors'], JobRow[]] = [[], [], []];
  const committer = new Committer({
    watch: lowBalances,
    sink: NO_SINK,
    forms: EARLIEST_FORMS,
    enqueue: (_, enqueued) => jobs.push(...enqueued),
    observe: ({ commands }) => batches.push(commands),
    onError: (error) => errors.push(error as TestBook['errors'][number]),
    ...committerOptions,
    pool,
    clock,
  });
  const submit: TestBook['submit'] = (command, deadlineMs) => committer.submit(id, command, { deadlineMs });
  const request = () => ({ requestId: newId(), actor: 'test' });

  const fund: TestBook['fund'] = async (accountId, amount, currency = 'EUR') => {
    const details = { bookId: id, accountId, amount, currency, description: 'Test', salt: Buffer.alloc(16, 1) };
    await submit(stored(receiveTransfer({ ...details, ...request() })));
  };

  return {
    id,
    pool,
    committer,
    batches,
    errors,
    jobs,
    submit,
    async account({ currency = 'EUR', amount = 0n, overdraftLimit = 0n } = {}) {
      const opened = openAccount({
        currency,
        name: 'Test',
        overdraftLimit,
        externalId: null,
        metadata: {},
        ...request(),
      });
      const { resourceId } = await submit(stored(opened));
      if (amount > 0n) await fund(resourceId!, amount, currency);
      return resourceId!;
    },
    fund,
    setStatus: (action, accountId, currency = 'EUR') =>
      submit(changeAccountStatus(action, { accountId, currency, ...request() }, BLOCKERS)),
    async accept(change) {
      const { resourceId } = await submit(stored(acceptPayout(payoutRequest(id, change))));
      return (await payouts.load(pool, id, [resourceId!])).get(resourceId!)!;
    },
    reserve: (payout) => submit(reservePayout(id, payout)),
    settle: (payout, report) =>
      submit(
        applyRailReport(id, payout, { call: 'submit', status: 'paid', nextInquiryMs: 60_000, raw: {}, ...report }),
      ),
    row: async (sql, ...values) => (await pool.query(sql, [id, ...values])).rows[0],
    rows: async (sql, ...values) => (await pool.query(sql, [id, ...values])).rows,
    async close() {
      await committer.close();
      if (typeof database === 'string') await pool.end();
    },
  };
}

export async function newBook(pool: Pool, { mode, clock }: { mode: Mode; clock: Clock }): Promise<BookId> {
  const organisation = await openOrganisation(pool, { name: newId(), clock });
  return (await findBookId(pool, organisation.id, mode))!;
}

/** The command under a key of its own, as the API submits it: a retry after a lost answer gets the first answer. */
export function stored(command: Command<Stored | Refusal>): Command<KeptAnswer> {
  return once(command, {
    key: null,
    fingerprint: Buffer.from(command.id),
    fingerprints: PLAIN_FINGERPRINTS,
    publicUrl: 'https://api.test',
  });
}

/** A payout of 1,000 with a fee of 5 to an alias, with the changes of a case. */
export function payoutRequest(
  bookId: BookId,
  change: Partial<AcceptPayout> & Pick<AcceptPayout, 'accountId'>,
): AcceptPayout {
  return {
    payoutId: newId(),
    bookId,
    amount: 1_000n,
    fee: 5n,
    currency: 'EUR',
    destination: {
      type: 'cliq',
      sealed: Buffer.from('sealed'),
      masked: 'A**N',
      provider: null,
      details: null,
      accountSealed: null,
    },
    rail: 'sandbox',
    description: null,
    externalId: null,
    metadata: {},
    idempotencyKey: newId(),
    requestId: newId(),
    actor: 'test',
    dryRun: false,
    ...change,
  };
}

export interface Transfer {
  from: Uuid;
  to: Uuid;
  amount: bigint;
  resourceId?: Uuid;
  resource?: string;
  /** A row written with the entry, in the same transaction. */
  append?: Log<string>;
  /** Called during the decision. */
  during?: () => void;
}

/** The simplest command that posts: from one account to another. Answers with the sequence of its entry. */
export function transfer({
  from,
  to,
  amount,
  resourceId,
  resource = 'transfer',
  append,
  during,
}: Transfer): Command<bigint> {
  const id = newId();
  return {
    id,
    name: 'test.transfer',
    requestId: id,
    touches: [{ table: accounts, ids: [from, to] }],
    decide(state, moment) {
      const draft = new Draft(state, { id, requestId: id }, moment);
      during?.();
      const postings = [{ debit: from, credit: to, amount }];
      const entry = draft.post({
        resource: resource as ResourceName,
        resourceId: resourceId ?? id,
        step: 'done',
        postings,
      });
      if (append) draft.append(append, id);
      return draft.finish(entry.sequence);
    },
  };
}

/** A log that is written by this statement, to make Postgres fail. */
export function logThatRuns(sql: string, writeOrder: number = WRITE_ORDER.resources): Log<string> {
  return {
    name: 'test',
    writeOrder,
    append: async (trx) => {
      await trx.query(sql);
    },
  };
}
