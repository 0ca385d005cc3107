/**
 * The reference gateway as a processor: cards, and what was asked about them, in memory. It plays a partner, so it shares no rule with
 * the product but the magic cardholders and the contract's readers.
 */
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { type CardholderScript, PENDING_MS, SANDBOX_CARDHOLDERS } from '../../src/processors/sandbox-cardholders.ts';
import { luhnDigit } from '../../src/values/luhn.ts';
import { keyOf } from './records.ts';

export interface MadeCard {
  readonly program: string;
  readonly cardReference: string;
  readonly number: string;
  readonly cvc: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly script: CardholderScript;
  state: string;
  version: number;
}

export interface CardOrder {
  readonly program: string;
  readonly reference: string;
  readonly kind: string;
  readonly processorReference: string;
  status: 'succeeded' | 'declined' | 'pending';
  code: string | null;
  /** What it makes. */
  card: MadeCard | null;
  /** Whether the connection breaks before the answer. */
  readonly isAnswered: boolean;
}

export interface GivenOrder {
  readonly program: string;
  readonly reference: string;
  readonly kind: string;
  /** Null of a state, which may come at any time. */
  readonly notAfter: number | null;
}

export interface GivenMaking extends GivenOrder {
  readonly of: string | null;
  readonly keepsNumber: boolean;
  readonly state: string;
  readonly cardholder: string | null;
}

/** A notice before it is signed, as the contract names its members. */
export interface CardNotice {
  readonly program: string;
  readonly reference: string;
  readonly kind: string;
  readonly code: string | null;
  readonly processor_reference: string;
}

const VALID_YEARS = 4;
/** A page for a card is opened at once. */
const PAGE_MS = 5 * 60_000;

export class CardOrders {
  readonly cards = new Map<string, MadeCard>();
  /** When what was lost on its way, as its cardholder asks, can no longer come. */
  readonly lost = new Map<string, number>();
  readonly #orders = new Map<string, CardOrder>();
  /** What is shown on which page, once. */
  readonly #pages = new Map<string, { text: string; expiresAt: number }>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #notify: (notice: CardNotice) => void;

  constructor({ notify }: { notify: (notice: CardNotice) => void }) {
    this.#notify = notify;
  }

  find(program: string, reference: string): CardOrder | undefined {
    return this.#orders.get(keyOf(program, reference));
  }

  findCard(program: string, cardReference: string): MadeCard | undefined {
    const card = this.cards.get(cardReference);
    return card?.program === program ? card : undefined;
  }

  make(given: GivenMaking): CardOrder | 'lost' {
    const known = this.find(given.program, given.reference);
    if (known) return known;
    const script = SANDBOX_CARDHOLDERS.get(given.cardholder ?? '') ?? 'made';
    if (script === 'lost') {
      this.lost.set(keyOf(given.program, given.reference), given.notAfter ?? Date.now());
      return 'lost';
    }
    const before = given.of === null ? undefined : this.findCard(given.program, given.of);
    const isAnswered = script !== 'unanswered' && script !== 'refused_unanswered';
    const code = faultOf(given, script, before);
    if (code !== null) return this.#put(given, { status: 'declined', code, isAnswered });
    const card = newCard(given, script, given.keepsNumber ? before : undefined);
    this.cards.set(card.cardReference, card);
    if (script !== 'pending') return this.#put(given, { card, isAnswered });
    const order = this.#put(given, { status: 'pending', card });
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (order.status === 'pending') this.decide(order, 'succeeded');
    }, PENDING_MS);
    this.#timers.add(timer.unref());
    return order;
  }

  /** The order is decided, late or anew, and the product is notified. */
  decide(order: CardOrder, status: 'succeeded' | 'declined'): void {
    Object.assign(order, { status, code: status === 'declined' ? 'refused' : null });
    const { program, reference, code, processorReference: processor_reference } = order;
    this.#notify({ program, reference, kind: status, code, processor_reference });
  }

  change(given: GivenOrder & { of: string; state: string | null; version: number }): CardOrder {
    const known = this.find(given.program, given.reference);
    if (known) return known;
    const card = this.findCard(given.program, given.of);
    const code = changeFaultOf(given, card);
    if (code === null && card && given.state !== null && given.version > card.version)
      Object.assign(card, { state: given.state, version: given.version });
    const isAnswered = card?.script !== 'unanswered';
    return this.#put(given, { status: code === null ? 'succeeded' : 'declined', code, isAnswered });
  }

  /** The path of a page that shows a card, or its PIN, once. */
  openPage({ number, cvc, expMonth, expYear }: MadeCard, what: string): { path: string; expiresAt: number } {
    const id = randomBytes(24).toString('base64url');
    const expiresAt = Date.now() + PAGE_MS;
    const details = `${number}, ${expMonth}/${expYear}, ${cvc}`;
    const text = what === 'pin' ? `PIN ${String(randomInt(10_000)).padStart(4, '0')}` : details;
    this.#pages.set(id, { text, expiresAt });
    return { path: `/card-pages/${id}`, expiresAt };
  }

  /** What the page shows; nothing the second time. */
  show(path: string): string | undefined {
    const id = path.slice('/card-pages/'.length);
    const page = this.#pages.get(id);
    this.#pages.delete(id);
    return page && page.expiresAt > Date.now() ? page.text : undefined;
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #put({ program, reference, kind }: GivenOrder, facts: Partial<CardOrder>): CardOrder {
    const order: CardOrder = {
      ...{ program, reference, kind, processorReference: newReference('GWP') },
      ...{ status: 'succeeded', code: null, card: null, isAnswered: true },
      ...facts,
    };
    this.#orders.set(keyOf(program, reference), order);
    return order;
  }
}

function faultOf(given: GivenMaking, script: CardholderScript, before: MadeCard | undefined): string | null {
  if (given.notAfter !== null && Date.now() > given.notAfter) return 'too_late';
  if (given.of !== null && !before) return 'card_unknown';
  return script === 'refused' || script === 'refused_unanswered' ? 'cardholder_refused' : null;
}

function changeFaultOf(
  { notAfter, state, version }: GivenOrder & { state: string | null; version: number },
  card: MadeCard | undefined,
): string | null {
  if (!card) return 'card_unknown';
  if (notAfter !== null && Date.now() > notAfter) return 'too_late';
  if (card.script === 'changes_refused') return 'refused';
  const isClosed = card.state === 'closed';
  if (isClosed && (state === null || (state !== 'closed' && version > card.version))) return 'card_closed';
  return null;
}

function newCard({ program, state }: GivenMaking, script: CardholderScript, before: MadeCard | undefined): MadeCard {
  const digits = `400000${String(randomInt(10 ** 9)).padStart(9, '0')}`;
  const now = new Date();
  return {
    program,
    cardReference: newReference('GWC'),
    number: before?.number ?? `${digits}${luhnDigit(digits)}`,
    cvc: String(randomInt(1_000)).padStart(3, '0'),
    expMonth: now.getUTCMonth() + 1,
    expYear: before ? before.expYear + 1 : now.getUTCFullYear() + VALID_YEARS,
    script,
    state,
    version: 0,
  };
}

function newReference(prefix: string): string {
  return `${prefix}${randomUUID().replaceAll('-', '').slice(0, 22).toUpperCase()}`;
}
