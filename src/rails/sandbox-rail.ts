/**
 * The sandbox rail: pays out for test books. It stands for the outside world: it keeps durable records on connections
 * of its own, outlives any process that calls it, and answers a repeated call alike.
 * Next: sandbox-aliases.ts (the outcome of each alias), sandbox-rail-store.ts (its records).
 */
import { hash } from 'node:crypto';
import type { Pool } from '../db/pool.ts';
import { NaturalBatch } from '../fairness/natural-batch.ts';
import type { NotFound } from '../outside/party/party.ts';
import { SandboxStatements } from '../outside/sandboxes/sandbox-statements.ts';
import type { Clock, Instant } from '../values/clock.ts';
import { deriveId, newId, type Uuid } from '../values/ids.ts';
import { PAYEE_CHANGED, railCodeOf } from './failure-codes.ts';
import {
  type Found as FoundPayee,
  type InstructedDestination,
  type Instruction,
  type Rail,
  type RailAnswer,
  type RailNotice,
  RailUnreachable,
  type ReceivingAccount,
  type Unregistered,
} from './rail.ts';
import { type Script, scriptFor } from './sandbox-aliases.ts';
import { SandboxBank } from './sandbox-bank.ts';
import { hasMoved, lookUp } from './sandbox-lookup.ts';
import {
  acknowledgeNotices,
  changeOutcome,
  confirmationOf,
  findCardScript,
  findInstructions,
  type InstructionRecord,
  openNotices,
  recordSubmissions,
  returnAmount,
  type Simulated,
  type Submission,
} from './sandbox-rail-store.ts';

export interface SandboxRailOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  /** For tests: delays an instruction before it reaches the rail, or throws instead. */
  readonly beforeSubmit?: () => Promise<void>;
  readonly callTimeoutMs?: number;
}

/** One statement takes this many calls in a few milliseconds. */
const CALLS_AT_ONCE = 500;

/** A statement takes milliseconds, and some seconds where Postgres fails over. */
const CALL_TIMEOUT_MS = 10_000;

/** One batch serves all books. */
const ALL_BOOKS = '';

/** Notices belong to no book until they are read, so their calls are queued as one book's. */
const NOTICES = 'notices';

/** Of a bank that does not exist; the check digits are right. */
const SANDBOX_IBAN = 'JO79CHSB0000000000000000000001';

/** Connections: one for submissions and one for inquiries, which are batched, and those that books share. */
const BATCHES = 2;
const CONNECTIONS_OF_BOOKS = 2;
export const SANDBOX_CONNECTIONS = BATCHES + CONNECTIONS_OF_BOOKS;

/**
 * The margin before `notAfter`. A statement may run 15 s (a setting of its role), so whatever is accepted in time has
 * been committed when `notAfter` passes.
 */
const CLOSES_BEFORE_MS = 20_000;

/** ISO 20022: the instruction came too late. */
const TOO_LATE = 'TM01';

/** Transaction statuses of ISO 20022 (ExternalPaymentTransactionStatus1Code), as shown in the raw answer. */
const ISO_STATUS = { paid: 'ACSC', rejected: 'RJCT', pending: 'PDNG' } as const;

/** The account found is not the one that was resolved: nothing is paid. */
const MOVED: Script = { status: 'rejected', code: PAYEE_CHANGED };

interface Found {
  readonly record: InstructionRecord | undefined;
  readonly asOf: Instant;
}

export class SandboxRail implements Rail {
  readonly name = 'sandbox';
  readonly mode = 'test';
  readonly idempotent = true;
  readonly destinations = ['cliq', 'iban', 'wallet', 'card'] as const;
  /** The cards of the other sandboxes. */
  readonly paysTokensOf = ['sandbox_acquirer', 'sandbox_processor'];
  /** Long enough for an outage of all workers that an operator must repair. */
  readonly notFoundFinalAfterMs = 15 * 60_000;
  readonly inquiryDelaysMs = [2_000, 5_000, 15_000, 60_000, 300_000];
  /** The rail stores no alias: a payee is compared only where the rail reports one. */
  readonly confirms = { amount: true, currency: true, payee: false };
  readonly callTimeoutMs: number;
  /** Twice what 1,000 payouts a second need, and the most calls in one statement. */
  readonly callsAtOnce = 500;
  /** Where its payouts leave from. */
  readonly bank: SandboxBank;

  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #beforeSubmit: (() => Promise<void>) | undefined;
  readonly #statements: SandboxStatements;
  readonly #records: NaturalBatch<Submission, InstructionRecord>;
  readonly #finds: NaturalBatch<{ originator: string; endToEndId: string }, Found>;

  constructor({ pool, clock, beforeSubmit, callTimeoutMs = CALL_TIMEOUT_MS }: SandboxRailOptions) {
    this.callTimeoutMs = callTimeoutMs;
    this.#pool = pool;
    this.#clock = clock;
    this.#beforeSubmit = beforeSubmit;
    const statements = new SandboxStatements({
      sandbox: 'sandbox rail',
      connections: CONNECTIONS_OF_BOOKS,
      limitMs: callTimeoutMs,
      unreachable: RailUnreachable,
    });
    this.#statements = statements;
    this.bank = new SandboxBank(pool, statements);
    this.#records = new NaturalBatch({
      limit: CALLS_AT_ONCE,
      run: (_, batch) => statements.ofBatch('submit', () => this.#recordAll(batch)),
    });
    this.#finds = new NaturalBatch({
      limit: CALLS_AT_ONCE,
      async run(_, asked) {
        const { records, asOf } = await statements.ofBatch('inquire', () => findInstructions(pool, asked));
        const found = byId(records);
        return asked.map((one) => ({ record: found.get(keyOf(one)), asOf }));
      },
    });
  }

  payeeDigest(endToEndId: string, payee: string): string {
    return hash('sha256', `${endToEndId} ${payee}`, 'hex');
  }

  /** In every currency. No bank has this account. */
  receivesOn(): ReceivingAccount[] {
    return [{ name: 'Countinghouse Sandbox', identifiers: [SANDBOX_IBAN], bic: 'CHSBJOAX' }];
  }

  async submit(instruction: Instruction): Promise<RailAnswer> {
    await this.#beforeSubmit?.();
    const script = await this.#scriptOf(instruction);
    if (script.isLost) throw new RailUnreachable('The sandbox rail lost the instruction, as the card asks');
    const record = await this.#records.add(ALL_BOOKS, submissionOf(instruction, script));
    if (script.breaksOff) throw new RailUnreachable('The sandbox rail broke off before its answer, as the alias asks');
    return answerOf(record);
  }

  /** Answered from the destination alone: no statement. */
  async resolve(_originator: string, destination: InstructedDestination): Promise<FoundPayee | Unregistered> {
    return lookUp(destination);
  }

  async #scriptOf({ originator, destination, account }: Instruction): Promise<Script> {
    const cardScript =
      destination.type === 'card'
        ? await this.#statements.ofBook(originator, 'card', () => findCardScript(this.#pool, destination.token))
        : undefined;
    const script = scriptFor(destination, cardScript);
    return hasMoved(destination, script, account) ? MOVED : script;
  }

  async inquire(originator: string, endToEndId: string): Promise<RailAnswer | NotFound> {
    const { record, asOf } = await this.#finds.add(ALL_BOOKS, { originator, endToEndId });
    if (record) return answerOf(record);
    return {
      status: 'not_found',
      endToEndId,
      asOf: asOf + clockAhead(this.#clock.now()),
      raw: { original_end_to_end_id: endToEndId, transaction_status: 'NFND' },
    };
  }

  notices(limit: number, behind?: Uuid): Promise<RailNotice[]> {
    return this.#statements.ofBook(NOTICES, 'notices', () => openNotices(this.#pool, limit, behind));
  }

  acknowledge(ids: readonly Uuid[]): Promise<void> {
    return this.#statements.ofBook(NOTICES, 'acknowledge', () =>
      acknowledgeNotices(this.#pool, ids, this.#clock.now()),
    );
  }

  /**
   * For the simulations: the record becomes `paid`, whatever it was before. Resolves with the notice, which also stays
   * in `notices` until it is acknowledged; undefined when the rail has no such instruction. A repeated notice id
   * changes nothing.
   */
  complete(originator: string, endToEndId: string, noticeId: Uuid = newId()): Promise<RailNotice | undefined> {
    const simulated = this.#simulated(originator, endToEndId, noticeId);
    return this.#statements.ofBook(originator, 'complete', () =>
      changeOutcome(this.#pool, { ...simulated, kind: 'paid', code: null }),
    );
  }

  /** The record becomes `rejected`, with a rail code or an API failure code. By default no reason is given. */
  fail(
    originator: string,
    endToEndId: string,
    noticeId: Uuid = newId(),
    code = 'MS03',
  ): Promise<RailNotice | undefined> {
    const simulated = this.#simulated(originator, endToEndId, noticeId);
    return this.#statements.ofBook(originator, 'fail', () =>
      changeOutcome(this.#pool, { ...simulated, kind: 'rejected', code: railCodeOf(code) }),
    );
  }

  /** Returns part of a paid amount. Undefined also when the instruction is not paid or less is left of it. */
  return(originator: string, endToEndId: string, noticeId: Uuid, amount: bigint): Promise<RailNotice | undefined> {
    const simulated = this.#simulated(originator, endToEndId, noticeId);
    return this.#statements.ofBook(originator, 'return', () => returnAmount(this.#pool, { ...simulated, amount }));
  }

  #simulated(originator: string, endToEndId: string, noticeId: Uuid): Simulated {
    return { originator, endToEndId, noticeId, at: this.#clock.now() };
  }

  /** An id may come twice in a batch, and the statement accepts each once. */
  async #recordAll(batch: Submission[]): Promise<InstructionRecord[]> {
    const once = new Map<string, Submission>();
    for (const submission of batch) {
      const key = keyOf(submission);
      const before = once.get(key);
      once.set(key, before ? { ...before, submissions: before.submissions + 1 } : submission);
    }
    const ordered = [...once].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, submission]) => submission);
    const records = byId(
      await recordSubmissions(this.#pool, ordered, {
        refusedCode: TOO_LATE,
        closesBeforeMs: CLOSES_BEFORE_MS,
        clockAheadMs: clockAhead(this.#clock.now()),
      }),
    );
    return batch.map((submission) => records.get(keyOf(submission))!);
  }
}

const keyOf = ({ originator, endToEndId }: { originator: string; endToEndId: string }) => `${originator} ${endToEndId}`;

const byId = (records: readonly InstructionRecord[]) => new Map(records.map((record) => [keyOf(record), record]));

/** How far an injected clock is ahead of the machine's, in milliseconds. */
const clockAhead = (now: Instant) => Math.round(now - Date.now());

function submissionOf(instruction: Instruction, script: Script): Submission {
  const { originator, endToEndId, amount, currency, notAfter } = instruction;
  return {
    originator,
    endToEndId,
    amount,
    currency,
    status: script.status,
    code: script.code ?? null,
    reference: `SBX${deriveId('sandbox-rail', originator, endToEndId).replaceAll('-', '').slice(0, 24).toUpperCase()}`,
    notAfter,
    submissions: 1,
    confirmsWrong: script.confirmsWrong ?? null,
    returned: script.returned ? { noticeId: newId(), amount: script.returned(amount) } : null,
  };
}

function answerOf(record: InstructionRecord): RailAnswer {
  const { status, endToEndId, reference, code } = record;
  const confirmed = confirmationOf(record);
  return {
    status,
    endToEndId,
    reference,
    ...(code === null ? {} : { code }),
    confirmed,
    raw: {
      original_end_to_end_id: endToEndId,
      transaction_status: ISO_STATUS[status],
      ...(code === null ? {} : { status_reason: code }),
      clearing_system_reference: reference,
      settlement_amount: confirmed.amount,
      settlement_currency: confirmed.currency,
    },
  };
}
