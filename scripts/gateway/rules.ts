/** The reference gateway's decisions about instructions: the rules that docs/partners.md asks of every gateway. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { DeclineCode } from '../../src/acquirers/decline-codes.ts';
import {
  type Dispute,
  type GatewayCard,
  type GatewayNotice,
  type Instruction,
  newInstruction,
  Records,
} from './records.ts';

/** A payer's time for a page, as with most issuers. */
const PAGE_MS = 15 * 60_000;

export interface Given {
  readonly originator: string;
  readonly reference: string;
  readonly kind: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly notAfter: number;
}

export interface GivenAuthorization extends Given {
  readonly token: string | null;
  readonly isRequest: boolean;
  readonly capture: boolean;
  readonly initiator: string;
  readonly returnUrl: string | null;
  readonly hasAddress: boolean;
}

/** An outcome, or that the connection breaks: before anything is done, or before the answer. */
export type Outcome = { readonly instruction: Instruction; readonly isAnswered: boolean } | 'lost';

export class Rules {
  readonly records = new Records();
  readonly #notify: (notice: GatewayNotice) => void;
  readonly #now: () => number;

  constructor({ notify, now = Date.now }: { notify: (notice: GatewayNotice) => void; now?: () => number }) {
    this.#notify = notify;
    this.#now = now;
  }

  authorize(given: GivenAuthorization): Outcome {
    const known = this.records.find(given.originator, given.reference);
    const card = given.token === null ? null : (this.records.cards.get(given.token) ?? null);
    if (known) return { instruction: known, isAnswered: known.card?.script !== 'unanswered' };
    if (this.#now() > given.notAfter)
      return answered(this.#put(given, { status: 'declined', code: 'processing_error' }));
    if (given.token === null) return answered(this.#wait(given, given.isRequest ? null : 'card'));
    if (card?.originator !== given.originator)
      return answered(this.#put(given, { status: 'declined', code: 'incorrect_number' }));
    if (card.script === 'lost') {
      this.records.lost.set(`${given.originator} ${given.reference}`, given.notAfter);
      return 'lost';
    }
    if (card.usedBy !== null && !card.reusable)
      return answered(this.#put(given, { status: 'declined', code: 'processing_error', card }));
    card.usedBy = given.reference;
    const cvc = card.hasCode ? 'match' : null;
    card.hasCode = false;
    const facts = { card, cvc, avs: given.hasAddress ? 'match' : null } as const;
    const { status, code } = judge(card, given);
    if (status === 'requires_action') return answered(this.#wait(given, 'challenge', facts));
    const instruction = this.#put(given, { ...facts, status, code });
    if (status === 'succeeded') this.#approve(instruction);
    return { instruction, isAnswered: card.script !== 'unanswered' };
  }

  /** The payer gives a card on the gateway's page. Undefined when no such page is open, or for a number that is not published. */
  payWithCard(page: string, card: { number: string; expMonth: number; expYear: number }): Instruction | undefined {
    const instruction = this.#open(page, 'card');
    if (!instruction) return undefined;
    const of = { originator: instruction.originator, reusable: false };
    const kept = this.records.keepCard({ ...card, hasCode: true }, of);
    if (!kept) return undefined;
    Object.assign(instruction, { card: kept, cvc: 'match' });
    const { status, code } = judge(kept, { initiator: 'merchant', returnUrl: null });
    return this.#decide(instruction, status === 'declined' ? (code ?? 'generic_decline') : null);
  }

  /** The payer passes or fails a challenge. Undefined when no such challenge is open. */
  passChallenge(page: string, { passed }: { passed: boolean }): Instruction | undefined {
    const instruction = this.#open(page, 'challenge');
    if (!instruction) return undefined;
    const refuses = instruction.card?.script === 'challenge_declined';
    return this.#decide(instruction, passed ? (refuses ? 'generic_decline' : null) : 'authentication_failed');
  }

  /** The payer of a request to pay, which has no page. */
  answerRequest(originator: string, reference: string, { approved }: { approved: boolean }): Instruction | undefined {
    const instruction = this.records.find(originator, reference);
    if (instruction?.status !== 'requires_action' || instruction.page !== null) return undefined;
    return this.#decide(instruction, approved ? null : 'generic_decline');
  }

  /** Undefined without such an authorization: the gateway refuses the instruction. */
  follow(given: Given & { of: string; final: boolean }): Instruction | undefined {
    const { originator, amount, currency, kind } = given;
    const known = this.records.find(originator, given.reference);
    if (known) return known;
    const base = this.records.find(originator, given.of);
    if (base?.kind !== 'authorize') return undefined;
    const fits = base.status === 'succeeded' && base.currency === currency && this.#now() <= given.notAfter;
    const taken = fits && allows(base, kind, amount);
    if (taken) carryOut(base, kind, { amount, final: given.final });
    const instruction = this.#put(given, taken ? {} : { status: 'declined', code: 'processing_error' });
    if (taken && kind === 'capture') this.#afterCapture(base, amount);
    if (taken && kind === 'refund' && base.card?.script === 'refund_fails')
      this.notify(instruction, 'refund_failed', { code: 'processing_error' });
    return instruction;
  }

  /** The merchant's answer to a dispute. Undefined for an unknown one. */
  answerDispute(given: Given & { of: string }): Instruction | undefined {
    const known = this.records.find(given.originator, given.reference);
    if (known) return known;
    const dispute = this.records.disputes.get(given.of);
    if (dispute?.originator !== given.originator) return undefined;
    const taken = dispute.status === 'open';
    if (taken) dispute.status = given.kind === 'evidence' ? 'evidence' : 'accepted';
    return this.#put(given, taken ? {} : { status: 'declined', code: 'processing_error' });
  }

  /** Ends an authorization, whatever its state. One that never came is recorded, and never carried out. */
  cancel(originator: string, reference: string): Instruction {
    const known = this.records.find(originator, reference);
    if (!known) {
      const tombstone = { originator, reference, kind: 'authorize', of: null, amount: 0n, currency: '' };
      return this.records.put(newInstruction({ ...tombstone, status: 'canceled', closed: true }));
    }
    const moved = known.captured > 0n || known.status === 'declined';
    if (known.kind === 'authorize' && !moved) Object.assign(known, { status: 'canceled', closed: true, page: null });
    return known;
  }

  openDispute(
    of: Instruction,
    { amount, reason, stage = 'chargeback' }: { amount: bigint; reason: string; stage?: string },
  ): Dispute {
    const dispute: Dispute = {
      originator: of.originator,
      dispute: `GWD${randomUUID().replaceAll('-', '').slice(0, 20).toUpperCase()}`,
      reference: of.reference,
      amount,
      reason,
      status: 'open',
    };
    this.records.disputes.set(dispute.dispute, dispute);
    this.notify(of, `dispute_${stage}`, { amount, code: reason, acquirerReference: dispute.dispute });
    return dispute;
  }

  decideDispute(dispute: Dispute, to: 'won' | 'lost'): void {
    dispute.status = to;
    const of = this.records.find(dispute.originator, dispute.reference)!;
    const { amount, reason: code } = dispute;
    this.notify(of, `dispute_${to}`, { amount, code, acquirerReference: dispute.dispute });
  }

  notify(
    { originator, reference, amount, currency, acquirerReference }: Instruction,
    kind: string,
    more: { amount?: bigint; code?: string | null; acquirerReference?: string } = {},
  ): void {
    this.#notify({
      merchant: originator,
      reference,
      kind,
      amount: more.amount ?? null,
      code: more.code ?? null,
      acquirer_reference: more.acquirerReference ?? acquirerReference,
      confirmed: { amount, currency },
    });
  }

  #put(given: Given & { of?: string; capture?: boolean; returnUrl?: string | null }, change: Partial<Instruction>) {
    const { originator, reference, kind, amount, currency, of = null, capture = false, returnUrl = null } = given;
    const made = { originator, reference, kind, of, amount, currency, captures: capture, returnUrl };
    return this.records.put(newInstruction({ ...made, ...change }));
  }

  #wait(given: GivenAuthorization, asks: 'card' | 'challenge' | null, facts: Partial<Instruction> = {}): Instruction {
    const expiresAt = this.#now() + PAGE_MS;
    const page = asks === null ? null : { id: randomBytes(24).toString('base64url'), expiresAt, asks };
    return this.#put(given, { ...facts, status: 'requires_action', page, challenged: asks === 'challenge' });
  }

  #open(page: string, asks: 'card' | 'challenge'): Instruction | undefined {
    const instruction = this.records.findByPage(page);
    const isOpen = instruction?.status === 'requires_action' && instruction.page!.expiresAt > this.#now();
    return isOpen && instruction.page!.asks === asks ? instruction : undefined;
  }

  #decide(instruction: Instruction, code: DeclineCode | null): Instruction {
    Object.assign(instruction, { status: code === null ? 'succeeded' : 'declined', code, page: null });
    this.notify(instruction, instruction.status, { code });
    if (code === null) this.#approve(instruction);
    return instruction;
  }

  #approve(instruction: Instruction): void {
    instruction.authorized = instruction.amount;
    // A request that its payer approves is paid at once.
    if (!instruction.captures && instruction.card !== null) return;
    instruction.captured = instruction.amount;
    this.#afterCapture(instruction, instruction.amount);
  }

  #afterCapture(base: Instruction, amount: bigint): void {
    if (base.card?.script === 'disputed') this.openDispute(base, { amount, reason: 'fraudulent' });
  }
}

const answered = (instruction: Instruction) => ({ instruction, isAnswered: true });

function judge(
  { script }: GatewayCard,
  { initiator, returnUrl }: Pick<GivenAuthorization, 'initiator' | 'returnUrl'>,
): Pick<Instruction, 'status' | 'code'> {
  switch (script) {
    case 'approved':
    case 'unanswered':
    case 'lost':
    case 'disputed':
    case 'refund_fails':
      return { status: 'succeeded', code: null };
    case 'challenge':
    case 'challenge_declined':
      // A merchant-initiated payment has no payer to challenge.
      if (initiator === 'merchant') return { status: 'succeeded', code: null };
      if (returnUrl === null) return { status: 'declined', code: 'authentication_required' };
      return { status: 'requires_action', code: null };
    default:
      return { status: 'declined', code: script };
  }
}

function allows(base: Instruction, kind: string, amount: bigint): boolean {
  switch (kind) {
    case 'increment':
      return !base.closed && base.captured === 0n && amount > base.authorized;
    case 'capture':
      return !base.closed && base.captured + amount <= base.authorized;
    case 'void':
      return !base.closed;
    case 'refund':
      return base.refunded + amount <= base.captured;
    default:
      return false;
  }
}

function carryOut(base: Instruction, kind: string, { amount, final }: { amount: bigint; final: boolean }): void {
  if (kind === 'increment') base.authorized = amount;
  if (kind === 'refund') base.refunded += amount;
  if (kind === 'capture') base.captured += amount;
  if (kind === 'void' || (kind === 'capture' && (final || base.captured === base.authorized))) base.closed = true;
}
