/**
 * A party of another kind than a rail, for tests: it authorizes payments, on the pieces of src/outside that every party is
 * made of. It keeps its records in memory, and breaks one rule where a test asks for it.
 */

import type { NoticeKinds } from '../../src/outside/notices/notice.ts';
import {
  type NotFound,
  type NoticeSender,
  type Party,
  type PartyAnswer,
  type PartyNotice,
  PartyUnreachable,
} from '../../src/outside/party/party.ts';
import { withinLimit } from '../../src/process/time-limit.ts';
import { systemClock } from '../../src/values/clock.ts';
import { newId, type Uuid } from '../../src/values/ids.ts';
import type { ConformanceAdapter, Submitted } from './conformance.ts';

/** The contract of an acquirer, as a group would declare it. */
export interface Acquirer extends Party, NoticeSender {
  authorize(authorization: Authorization): Promise<AcquirerAnswer>;
  inquire(originator: string, endToEndId: string): Promise<AcquirerAnswer | NotFound>;
  notices(limit: number, behind?: Uuid): Promise<AcquirerNotice[]>;
}

export interface Authorization {
  readonly originator: string;
  readonly endToEndId: string;
  readonly amount: bigint;
  readonly notAfter: number;
}

export interface AcquirerAnswer extends PartyAnswer {
  readonly status: 'authorized' | 'declined' | 'pending';
  readonly authorizationCode: string;
}

export interface AcquirerNotice extends PartyNotice {
  readonly kind: 'authorized' | 'declined' | 'disputed';
}

export const ACQUIRER_NOTICE_KINDS = {
  authorized: 'whole',
  declined: 'whole',
  disputed: 'part',
} as const satisfies NoticeKinds & Record<AcquirerNotice['kind'], string>;

/** Each breaks one rule. */
export const ACQUIRER_FAULTS = [
  'moves again',
  'answers anew',
  'forgets what broke off',
  'tells nothing later',
  'forgets acknowledgements',
  'renames its notices',
  'overwrites its notices',
  'takes another amount',
  'takes what is too late',
  'answers about another id',
  'ends no call',
  'returns all pages',
] as const;
export type AcquirerFault = (typeof ACQUIRER_FAULTS)[number];

interface Kept {
  readonly authorization: Authorization;
  status: AcquirerAnswer['status'];
  movements: number;
}

export class MemoryAcquirer implements Acquirer {
  readonly name = 'memory-acquirer';
  readonly mode = 'test';
  readonly idempotent = true;
  readonly notFoundFinalAfterMs = 15 * 60_000;
  readonly inquiryDelaysMs = [1_000, 10_000];
  readonly callTimeoutMs = 100;
  readonly callsAtOnce = 4;

  readonly #kept = new Map<string, Kept>();
  readonly #fault: AcquirerFault | undefined;
  #told: AcquirerNotice[] = [];
  /** What the test makes of the next authorizations. */
  next: { status: AcquirerAnswer['status']; silent: boolean } = { status: 'authorized', silent: false };
  hangs = false;

  constructor(fault?: AcquirerFault) {
    this.#fault = fault;
  }

  authorize(authorization: Authorization): Promise<AcquirerAnswer> {
    const { status, silent } = this.next;
    return this.#answered(() => {
      const key = keyOf(authorization.originator, authorization.endToEndId);
      const known = this.#kept.get(key);
      const late = authorization.notAfter < systemClock.now() && this.#fault !== 'takes what is too late';
      const kept = known ?? { authorization, status: late ? ('declined' as const) : status, movements: 0 };
      const another = known?.authorization.amount !== authorization.amount && this.#fault === 'takes another amount';
      if (kept.status === 'authorized' && (!known || another || this.#fault === 'moves again')) kept.movements += 1;
      if (!(silent && this.#fault === 'forgets what broke off')) this.#kept.set(key, kept);
      if (silent) throw new PartyUnreachable('The acquirer broke off');
      return this.#answerOf(kept);
    });
  }

  inquire(originator: string, endToEndId: string): Promise<AcquirerAnswer | NotFound> {
    return this.#answered(() => {
      const kept = this.#kept.get(keyOf(originator, endToEndId));
      if (kept) return this.#answerOf(kept);
      const named = this.#fault === 'answers about another id' ? newId() : endToEndId;
      return { status: 'not_found', endToEndId: named, asOf: systemClock.now(), raw: {} } as const;
    });
  }

  async notices(limit: number, behind?: Uuid): Promise<AcquirerNotice[]> {
    const from = this.#told.findIndex(({ id }) => id === behind) + 1;
    const page = this.#told.slice(from, this.#fault === 'returns all pages' ? undefined : from + limit);
    return this.#fault === 'renames its notices' ? page.map((notice) => ({ ...notice, id: newId() })) : page;
  }

  async acknowledge(ids: readonly Uuid[]): Promise<void> {
    if (this.#fault !== 'forgets acknowledgements') this.#told = this.#told.filter(({ id }) => !ids.includes(id));
  }

  movements(originator: string, endToEndId: string): number {
    return this.#kept.get(keyOf(originator, endToEndId))?.movements ?? 0;
  }

  /** Decides anew and tells of it. */
  decide(originator: string, endToEndId: string, kind: 'authorized' | 'declined'): AcquirerNotice {
    const kept = this.#kept.get(keyOf(originator, endToEndId))!;
    if (kind === 'authorized' && kept.status !== 'authorized') kept.movements += 1;
    kept.status = kind;
    const notice = {
      ...{ id: newId(), originator, endToEndId, kind, amount: null, code: null, reference: 'A1' },
      createdAt: systemClock.now(),
    };
    if (this.#fault === 'overwrites its notices') this.#told = [];
    if (this.#fault !== 'tells nothing later') this.#told.push(notice);
    return notice;
  }

  #answered<Answer>(answer: () => Answer): Promise<Answer> {
    const call = this.hangs ? new Promise<Answer>(() => undefined) : Promise.resolve().then(answer);
    if (this.#fault === 'ends no call') return call;
    return withinLimit(call, { what: 'The acquirer', limitMs: this.callTimeoutMs }).catch((error: unknown) => {
      throw error instanceof PartyUnreachable ? error : new PartyUnreachable('No answer', { cause: error });
    });
  }

  #answerOf({ authorization: { endToEndId }, status }: Kept): AcquirerAnswer {
    const authorizationCode = this.#fault === 'answers anew' ? newId() : 'A1';
    return { status, endToEndId, authorizationCode, raw: { status } };
  }
}

const keyOf = (originator: string, endToEndId: string) => `${originator} ${endToEndId}`;

/** The acquirer as the conformance cases move it. */
export function acquirerAdapter(fault?: AcquirerFault): ConformanceAdapter {
  const party = new MemoryAcquirer(fault);
  const words = { moved: 'authorized', refused: 'declined', open: 'pending' } as const;
  return {
    party,
    words,
    submit({ outcome, silent = false, ...authorization }: Submitted) {
      party.next = { status: words[outcome], silent };
      return party.authorize(authorization);
    },
    movements: async (originator, endToEndId) => party.movements(originator, endToEndId),
    decide: async (originator, endToEndId, decision) => party.decide(originator, endToEndId, words[decision]),
    async hanging() {
      const hung = new MemoryAcquirer(fault);
      hung.hangs = true;
      return hung;
    },
    close: async () => undefined,
  };
}
