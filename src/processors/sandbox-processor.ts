/**
 * The sandbox processor: makes the cards of test books. It plays the outside world. So it keeps durable records on connections of its
 * own, outlives any process that calls it, and answers a repeated call alike. It alone has the numbers of its cards.
 * Next: sandbox-cardholders.ts (magic cardholders), card-sequence.ts (numbers and codes), sandbox-processor-store.ts (its records).
 */
import { meetTwin } from '../db/meet-twin.ts';
import type { Pool } from '../db/pool.ts';
import type { SecretBox } from '../db/secret-box.ts';
import type { NotFound } from '../outside/party/party.ts';
import { SandboxStatements } from '../outside/sandboxes/sandbox-statements.ts';
import type { Clock } from '../values/clock.ts';
import { BEFORE_ALL_IDS, newId, type Uuid } from '../values/ids.ts';
import { further } from '../values/progress.ts';
import { takeRandom } from '../values/random.ts';
import { type CardKeys, cardKeys, cardNumber, codeAttemptAfter, expiryOf, securityCode } from './card-sequence.ts';
import {
  type IssueInstruction,
  type Processor,
  type ProcessorAnswer,
  type ProcessorDecline,
  type ProcessorInstruction,
  type ProcessorNotice,
  ProcessorUnreachable,
  type ReplaceInstruction,
  type RevealAsked,
  type Revealed,
  RevealRefused,
  type StateInstruction,
  type UnblockPinInstruction,
} from './processor.ts';
import { SANDBOX_PROCESSOR } from './processor-names.ts';
import { answerOf, breaksOff, cardReference, judged, makesCard, processorReference } from './sandbox-answers.ts';
import { PENDING_MS, scriptOf } from './sandbox-cardholders.ts';
import {
  acknowledgeNotices,
  findCard,
  findInstruction,
  type InstructionRecord,
  keepSecret,
  type Making,
  type NewCard,
  nextCounter,
  openNotices,
  readSecret,
  recordChange,
  recordMaking,
  type StoredCard,
} from './sandbox-processor-store.ts';
import { SANDBOX_SECRET_PLACE, sandboxNumberPlace } from './sealed-places.ts';

export interface SandboxProcessorOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  /** Seals its numbers, and the secret with which they are made. */
  readonly secretBox: SecretBox;
  /** For tests: delays an instruction before it reaches the processor, or throws instead. */
  readonly beforeSubmit?: (() => Promise<void>) | undefined;
  readonly callTimeoutMs?: number;
}

/** A card is a few statements: eight a connection are done within milliseconds. */
const CALLS_AT_ONCE = 32;
/** A statement takes milliseconds, and some seconds where Postgres fails over. */
const CALL_TIMEOUT_MS = 10_000;

/** The queue of notices: they belong to no book until they are read. */
const NOTICES = 'notices';

export const SANDBOX_CONNECTIONS = 4;

/** A statement may run 15 s (a setting of its role): what is accepted in time has been committed when `notAfter` passes. */
const CLOSES_BEFORE_MS = 20_000;

const SECRET_BYTES = 32;

export class SandboxProcessor implements Processor {
  readonly name = SANDBOX_PROCESSOR;
  readonly mode = 'test';
  readonly idempotent = true;
  readonly notFoundFinalAfterMs = 15 * 60_000;
  readonly inquiryDelaysMs = [1_000, 2_000, 5_000, 15_000, 60_000, 300_000];
  readonly callTimeoutMs: number;
  readonly callsAtOnce = CALLS_AT_ONCE;

  readonly #options: SandboxProcessorOptions;
  readonly #statements: SandboxStatements;
  /** Never changes, so it is read once. */
  #keys: CardKeys | undefined;

  constructor(options: SandboxProcessorOptions) {
    const { callTimeoutMs = CALL_TIMEOUT_MS } = options;
    this.#options = options;
    this.callTimeoutMs = callTimeoutMs;
    this.#statements = new SandboxStatements({
      sandbox: 'sandbox processor',
      connections: SANDBOX_CONNECTIONS,
      limitMs: callTimeoutMs,
      unreachable: ProcessorUnreachable,
    });
  }

  async submit(instruction: ProcessorInstruction): Promise<ProcessorAnswer> {
    await this.#options.beforeSubmit?.();
    const { originator, kind } = instruction;
    const record = await this.#statements.ofBook(originator, kind, () => this.#carryOut(instruction));
    if (breaksOff(record.script))
      throw new ProcessorUnreachable('The sandbox processor broke off before its answer, as the cardholder asks');
    return answerOf(record);
  }

  async inquire(originator: string, reference: string): Promise<ProcessorAnswer | NotFound> {
    const rule = { clockAheadMs: this.#clockAhead() };
    const { record, asOf } = await this.#statements.ofBook(originator, 'inquire', () =>
      findInstruction(this.#options.pool, { originator, reference }, rule),
    );
    if (record && record.status !== 'never') return answerOf(record);
    // A lost instruction is refused if it comes again: nothing has to be waited for.
    const looked = asOf + this.#clockAhead() + (record ? 2 * this.notFoundFinalAfterMs : 0);
    return { status: 'not_found', endToEndId: reference, asOf: looked, raw: { reference, status: 'not_found' } };
  }

  async reveal({ originator, cardReference: asked, what }: RevealAsked): Promise<Revealed> {
    const shown = await this.#statements.ofBook(originator, 'reveal', async () => {
      const card = await findCard(this.#options.pool, { originator, cardReference: asked });
      return card && { card, keys: await this.#readKeys() };
    });
    if (!shown) throw new RevealRefused('card_unknown');
    const { card, keys } = shown;
    if (card.state === 'closed') throw new RevealRefused('card_closed');
    if (what === 'pin') throw new RevealRefused('pin_not_kept');
    const { expMonth, expYear } = card;
    return { shown: 'clear', number: this.#numberOf(card), cvc: securityCode(card, keys), expMonth, expYear };
  }

  notices(limit: number, behind: Uuid = BEFORE_ALL_IDS): Promise<ProcessorNotice[]> {
    const page = { limit, behind, clockAheadMs: this.#clockAhead() };
    return this.#statements.ofBook(NOTICES, 'notices', () => openNotices(this.#options.pool, page));
  }

  acknowledge(ids: readonly Uuid[]): Promise<void> {
    const { pool, clock } = this.#options;
    return this.#statements.ofBook(NOTICES, 'acknowledge', () => acknowledgeNotices(pool, ids, clock.now()));
  }

  #carryOut(instruction: ProcessorInstruction): Promise<InstructionRecord> {
    switch (instruction.kind) {
      case 'issue':
        return this.#issue(instruction);
      case 'replace':
        return this.#replace(instruction);
      default:
        return this.#change(instruction);
    }
  }

  async #issue(instruction: IssueInstruction): Promise<InstructionRecord> {
    const known = await this.#known(instruction);
    if (known) return known;
    const making = makingOf(instruction);
    if (!makesCard(making.status)) return this.#record(making);
    return this.#record({ ...making, card: await this.#newCard(instruction, await this.#readKeys()) });
  }

  async #replace(instruction: ReplaceInstruction): Promise<InstructionRecord> {
    const known = await this.#known(instruction);
    if (known) return known;
    const { originator, of, reason } = instruction;
    const before = await findCard(this.#options.pool, { originator, cardReference: of });
    const making = makingOf(instruction, before ? undefined : 'card_unknown');
    if (!before || !makesCard(making.status)) return this.#record(making);
    const keys = await this.#readKeys();
    const isNew = reason === 'lost' || reason === 'stolen';
    const card = isNew ? await this.#newCard(instruction, keys) : renewed(instruction, before, keys);
    return this.#record({ ...making, card });
  }

  #change(instruction: StateInstruction | UnblockPinInstruction): Promise<InstructionRecord> {
    const { originator, reference } = instruction;
    const change = { instruction, processorReference: processorReference(originator, reference) };
    return recordChange(this.#options.pool, change, this.#rule());
  }

  /** A repetition takes no counter. Two at the same moment may take two, of which one stays unused. */
  async #known(asked: { originator: string; reference: string }): Promise<InstructionRecord | undefined> {
    return (await findInstruction(this.#options.pool, asked, this.#rule())).record;
  }

  #record(making: Making): Promise<InstructionRecord> {
    return meetTwin(() => recordMaking(this.#options.pool, making, this.#rule()));
  }

  /** A card with the next number that no card has. */
  async #newCard({ originator, reference, state, orderedAt }: Ordered, keys: CardKeys): Promise<NewCard> {
    const { pool, secretBox } = this.#options;
    let counter: bigint | undefined;
    for (;;) {
      counter = further('counters of card numbers', counter, await nextCounter(pool));
      const number = cardNumber(Number(counter), keys);
      if (number === undefined) continue;
      return {
        cardReference: cardReference(originator, reference),
        counter,
        lastFour: number.slice(-4),
        numberSealed: secretBox.seal(number, sandboxNumberPlace(counter)),
        codeAttempt: 0,
        state,
        ...expiryOf(orderedAt),
      };
    }
  }

  #numberOf({ counter, numberSealed }: StoredCard): string {
    return this.#options.secretBox.open(numberSealed, sandboxNumberPlace(counter));
  }

  async #readKeys(): Promise<CardKeys> {
    if (this.#keys) return this.#keys;
    const { pool, secretBox } = this.#options;
    let sealed = await readSecret(pool);
    if (!sealed) {
      const secret = takeRandom(SECRET_BYTES).toString('base64');
      await keepSecret(pool, secretBox.seal(secret, SANDBOX_SECRET_PLACE));
      // Another process may have kept one first.
      sealed = (await readSecret(pool))!;
    }
    this.#keys = cardKeys(Buffer.from(secretBox.open(sealed, SANDBOX_SECRET_PLACE), 'base64'));
    return this.#keys;
  }

  #rule() {
    return { closesBeforeMs: CLOSES_BEFORE_MS, clockAheadMs: this.#clockAhead() };
  }

  #clockAhead(): number {
    return Math.round(this.#options.clock.now() - Date.now());
  }
}

type Ordered = Pick<IssueInstruction, 'originator' | 'reference' | 'state' | 'orderedAt'>;

function makingOf(instruction: IssueInstruction | ReplaceInstruction, fault?: ProcessorDecline): Making {
  const { originator, reference, kind, notAfter, cardholder } = instruction;
  const script = scriptOf(cardholder);
  const { status, code } = fault === undefined ? judged(script) : { status: 'declined' as const, code: fault };
  return {
    originator,
    reference,
    kind,
    ofCard: instruction.kind === 'replace' ? instruction.of : null,
    status,
    code,
    processorReference: processorReference(originator, reference),
    script,
    notAfter,
    pendingMs: PENDING_MS,
    noticeId: newId(),
  };
}

/** The same number, a later expiry and another security code. */
function renewed(instruction: ReplaceInstruction, before: StoredCard, keys: CardKeys): NewCard {
  const { originator, reference, state, orderedAt } = instruction;
  const card = { cardReference: cardReference(originator, reference), ...expiryOf(orderedAt, before) };
  return {
    ...card,
    counter: before.counter,
    lastFour: before.lastFour,
    numberSealed: null,
    codeAttempt: codeAttemptAfter(before, card, keys),
    state,
  };
}
