/**
 * The sandbox acquirer: takes payments of test books. It stands for the outside world: it keeps durable records on
 * connections of its own, outlives any process that calls it, and answers a repeated call alike.
 * Next: test-cards.ts (the outcome of each number), sandbox-acquirer-store.ts (its records).
 */

import type { Pool } from '../db/pool.ts';
import { NaturalBatch } from '../fairness/natural-batch.ts';
import type { NotFound } from '../outside/party/party.ts';
import { SandboxStatements } from '../outside/sandboxes/sandbox-statements.ts';
import type { Clock, Instant } from '../values/clock.ts';
import { BEFORE_ALL_IDS, newId, type Uuid } from '../values/ids.ts';
import {
  type Acquirer,
  type AcquirerAnswer,
  type AcquirerInstruction,
  type AcquirerNotice,
  AcquirerUnreachable,
  type AuthorizeInstruction,
  type DisputeInstruction,
  type FollowingInstruction,
  type Tokenized,
  type Verified,
} from './acquirer.ts';
import { SANDBOX_ACQUIRER } from './acquirer-names.ts';
import type { CardInput } from './card.ts';
import type { BeyondBounds } from './dispute-bounds.ts';
import {
  cancelAuthorization,
  findInstructions,
  type InstructionRecord,
  recordAuthorizations,
  recordFollowing,
} from './sandbox-acquirer-store.ts';
import { acquirerReference, answerOf, authorizationOf, CHALLENGE_MS, refused } from './sandbox-answers.ts';
import { findChallenge, resolveChallenge, type SandboxChallenge } from './sandbox-challenge-store.ts';
import {
  type DisputeMove,
  type DisputeOpening,
  moveDispute,
  openDispute,
  recordAnswer,
} from './sandbox-dispute-store.ts';
import { acknowledgeNotices, findNotice, openNotices } from './sandbox-notice-store.ts';
import { recordRequest, resolveRequest } from './sandbox-request-store.ts';
import { type SandboxSettlement, type SandboxSettlementLine, settleAtSandbox } from './sandbox-settlement-store.ts';
import { SandboxVault } from './sandbox-vault.ts';
import type { VaultCard } from './sandbox-vault-store.ts';

export interface SandboxAcquirerOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  /** Where payers pass its challenges: `{publicUrl}/sandbox/challenges/{challenge}`. */
  readonly publicUrl: string;
  /** For tests: delays an instruction before it reaches the acquirer, or throws instead. */
  readonly beforeSubmit?: (() => Promise<void>) | undefined;
  readonly callTimeoutMs?: number;
}

/** Most calls in one statement. */
const CALLS_AT_ONCE = 500;
/** A statement takes milliseconds, and some seconds where Postgres fails over. */
const CALL_TIMEOUT_MS = 10_000;

/** One batch serves all books. */
const ALL_BOOKS = '';

/** Calls that belong to no book are queued as one: notices that are not read yet, and challenges, which only their links name. */
const NOTICES = 'notices';
const CHALLENGES = 'challenges';

/** Connections: one for each kind of batch (cards stored, cards found, authorizations, inquiries), and those that books share. */
const BATCHES = 4;
const CONNECTIONS_OF_BOOKS = 4;
export const SANDBOX_CONNECTIONS = BATCHES + CONNECTIONS_OF_BOOKS;

/** A payday marks up to 50,000 records; each of its statements may run 15 s. */
const PAYDAY_LIMIT_MS = 40_000;

/** A statement may run 15 s (a setting of its role): what is accepted in time is committed before `notAfter` passes. */
const CLOSES_BEFORE_MS = 20_000;

interface Found {
  readonly record: InstructionRecord | undefined;
  readonly asOf: Instant;
}

export class SandboxAcquirer implements Acquirer {
  readonly name = SANDBOX_ACQUIRER;
  readonly mode = 'test';
  readonly idempotent = true;
  readonly takesCards = true;
  readonly givesTokens = false;
  readonly notFoundFinalAfterMs = 15 * 60_000;
  readonly inquiryDelaysMs = [1_000, 2_000, 5_000, 15_000, 60_000, 300_000];
  readonly callTimeoutMs: number;
  readonly callsAtOnce = CALLS_AT_ONCE;

  readonly #options: SandboxAcquirerOptions;
  readonly #statements: SandboxStatements;
  readonly #vault: SandboxVault;
  readonly #authorizations: NaturalBatch<{ instruction: AuthorizeInstruction; card: VaultCard }, InstructionRecord>;
  readonly #finds: NaturalBatch<{ originator: string; reference: string }, Found>;

  constructor(options: SandboxAcquirerOptions) {
    const { pool, clock, callTimeoutMs = CALL_TIMEOUT_MS } = options;
    this.#options = options;
    this.callTimeoutMs = callTimeoutMs;
    const statements = new SandboxStatements({
      sandbox: 'sandbox acquirer',
      connections: CONNECTIONS_OF_BOOKS,
      limitMs: callTimeoutMs,
      unreachable: AcquirerUnreachable,
    });
    this.#statements = statements;
    this.#vault = new SandboxVault({ pool, clock, statements });
    this.#authorizations = new NaturalBatch({
      limit: CALLS_AT_ONCE,
      run: (_, batch) => statements.ofBatch('authorize', () => this.#recordAll(batch)),
    });
    this.#finds = new NaturalBatch({
      limit: CALLS_AT_ONCE,
      async run(_, asked) {
        const { records, asOf } = await statements.ofBatch('inquire', () => findInstructions(pool, asked));
        const found = new Map(records.map((record) => [keyOf(record), record]));
        return asked.map((one) => ({ record: found.get(keyOf(one)), asOf }));
      },
    });
  }

  showing(card: CardInput): Tokenized['card'] {
    return this.#vault.showing(card);
  }

  tokenize(card: CardInput, of: { originator: string; reusable: boolean }): Promise<Tokenized> {
    return this.#vault.tokenize(card, of);
  }

  withCode(token: string, cvc: string, of: { originator: string }): Promise<string> {
    return this.#vault.withCode(token, cvc, of);
  }

  verify(token: string, of: { originator: string }): Promise<Verified> {
    return this.#vault.verify(token, of);
  }

  cardOf(token: string, of: { originator: string }): Promise<Tokenized['card']> {
    return this.#vault.cardOf(token, of);
  }

  async submit(instruction: AcquirerInstruction): Promise<AcquirerAnswer> {
    await this.#options.beforeSubmit?.();
    switch (instruction.kind) {
      case 'authorize':
        return this.#authorize(instruction);
      case 'evidence':
      case 'accept_dispute':
        return this.#answerDispute(instruction);
      default:
        return this.#follow(instruction);
    }
  }

  async inquire(originator: string, reference: string): Promise<AcquirerAnswer | NotFound> {
    const { record, asOf } = await this.#finds.add(ALL_BOOKS, { originator, reference });
    if (record && record.status !== 'never') return answerOf(record, this.#options.publicUrl);
    // A lost instruction is refused when it is sent again, so not_found is final at once.
    const looked = record ? asOf + this.notFoundFinalAfterMs + CHALLENGE_MS : asOf + this.#clockAhead();
    return { status: 'not_found', endToEndId: reference, asOf: looked, raw: { reference, result: 'unknown' } };
  }

  async cancel(originator: string, reference: string): Promise<AcquirerAnswer> {
    const given = { originator, reference, currency: '', acquirerReference: acquirerReference(originator, reference) };
    const { pool, publicUrl } = this.#options;
    const record = await this.#statements.ofBook(originator, 'cancel', () => cancelAuthorization(pool, given));
    return answerOf(record, publicUrl);
  }

  notices(limit: number, behind: Uuid = BEFORE_ALL_IDS): Promise<AcquirerNotice[]> {
    return this.#statements.ofBook(NOTICES, 'notices', () => openNotices(this.#options.pool, limit, behind));
  }

  acknowledge(ids: readonly Uuid[]): Promise<void> {
    const { pool, clock } = this.#options;
    return this.#statements.ofBook(NOTICES, 'acknowledge', () => acknowledgeNotices(pool, ids, clock.now()));
  }

  /** For the page of a challenge. */
  findChallenge(challenge: string): Promise<SandboxChallenge | undefined> {
    return this.#statements.ofBook(CHALLENGES, 'findChallenge', () => findChallenge(this.#options.pool, challenge));
  }

  /** The payer's answer to a challenge, from its page. Undefined when no such challenge is open. A notice follows. */
  resolveChallenge(
    challenge: string,
    { passed }: { passed: boolean },
  ): Promise<{ originator: string; reference: string } | undefined> {
    const given = { challenge, passed, noticeId: newId() };
    return this.#statements.ofBook(CHALLENGES, 'resolveChallenge', () => resolveChallenge(this.#options.pool, given));
  }

  /** For simulations: the payer's answer to a request to pay. Undefined when no such request is open and no notice has this id. */
  async resolveRequest(
    originator: string,
    reference: string,
    { approved, noticeId }: { approved: boolean; noticeId: Uuid },
  ): Promise<AcquirerNotice | undefined> {
    const { pool } = this.#options;
    return this.#statements.ofBook(originator, 'resolveRequest', async () => {
      await resolveRequest(pool, { originator, reference, approved, noticeId });
      return findNotice(pool, { id: noticeId, originator, reference });
    });
  }

  /** For simulations: a payer disputes an instruction. Undefined for an unknown instruction. */
  openDispute(opening: DisputeOpening): Promise<AcquirerNotice | BeyondBounds | undefined> {
    return this.#statements.ofBook(opening.originator, 'openDispute', () => openDispute(this.#options.pool, opening));
  }

  /** For simulations: decides a dispute, or escalates it. Undefined where its status does not allow it. */
  moveDispute(move: DisputeMove): Promise<AcquirerNotice | BeyondBounds | undefined> {
    return this.#statements.ofBook(move.originator, 'moveDispute', () => moveDispute(this.#options.pool, move));
  }

  /** A payday: marks the records that it pays, once for each key, and resolves with its lines. */
  pay(settlement: SandboxSettlement): Promise<SandboxSettlementLine[]> {
    const pay = () => settleAtSandbox(this.#options.pool, settlement);
    return this.#statements.ofBook(settlement.originator, 'pay', pay, PAYDAY_LIMIT_MS);
  }

  async #authorize(instruction: AuthorizeInstruction): Promise<AcquirerAnswer> {
    const { token } = instruction;
    if (token === null) return this.#ask(instruction);
    const card = await this.#vault.find(token);
    if (card?.originator !== instruction.originator) return refused(instruction.reference, 'incorrect_number');
    const record = await this.#authorizations.add(ALL_BOOKS, { instruction, card });
    if (card.script === 'unanswered' || record.status === 'never')
      throw new AcquirerUnreachable('The sandbox acquirer broke off before its answer, as the card asks');
    return answerOf(record, this.#options.publicUrl);
  }

  /** A request to pay waits for its payer's answer: resolveRequest. */
  async #ask({ originator, reference, amount, currency, notAfter }: AuthorizeInstruction): Promise<AcquirerAnswer> {
    const given = {
      ...{ originator, reference, amount, currency, notAfter },
      acquirerReference: acquirerReference(originator, reference),
    };
    const rule = { closesBeforeMs: CLOSES_BEFORE_MS, clockAheadMs: this.#clockAhead() };
    const record = await this.#statements.ofBook(originator, 'authorize', () =>
      recordRequest(this.#options.pool, given, rule),
    );
    return answerOf(record, this.#options.publicUrl);
  }

  async #follow(instruction: FollowingInstruction): Promise<AcquirerAnswer> {
    const { originator, reference, kind, amount, currency, final = false } = instruction;
    const record = await this.#statements.ofBook(originator, kind, () =>
      recordFollowing(this.#options.pool, {
        originator,
        reference,
        kind,
        of: instruction.of,
        amount,
        currency,
        final,
        acquirerReference: acquirerReference(originator, reference),
        noticeId: newId(),
      }),
    );
    return record ? answerOf(record, this.#options.publicUrl) : refused(reference, 'processing_error');
  }

  async #answerDispute(instruction: DisputeInstruction): Promise<AcquirerAnswer> {
    const { originator, reference, kind } = instruction;
    const known = acquirerReference(originator, reference);
    const record = await this.#statements.ofBook(originator, kind, () =>
      recordAnswer(this.#options.pool, instruction, known),
    );
    return record ? answerOf(record, this.#options.publicUrl) : refused(reference, 'processing_error');
  }

  /** A reference may come twice in a batch, and the statement accepts each once. */
  async #recordAll(batch: { instruction: AuthorizeInstruction; card: VaultCard }[]): Promise<InstructionRecord[]> {
    const once = new Map(batch.map((one) => [keyOf(one.instruction), one]));
    const ordered = [...once].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, one]) => one);
    const { pool, clock } = this.#options;
    const records = await recordAuthorizations(
      pool,
      ordered.map((one) => authorizationOf(one, clock.now())),
      { closesBeforeMs: CLOSES_BEFORE_MS, clockAheadMs: this.#clockAhead() },
    );
    const found = new Map(records.map((record) => [keyOf(record), record]));
    return batch.map(({ instruction }) => found.get(keyOf(instruction))!);
  }

  #clockAhead(): number {
    return Math.round(this.#options.clock.now() - Date.now());
  }
}

const keyOf = ({ originator, reference }: { originator: string; reference: string }) => `${originator} ${reference}`;
