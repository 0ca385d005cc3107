/**
 * The outside world behind a rail. It outlives every process, knows each instruction by its id, and records the
 * movements of money, which the books must match in the end. Its answers may be lost, late or repeated.
 */

import type { InTurn } from '../../../src/outside/calls/called-party.ts';
import type { NotFound } from '../../../src/outside/party/party.ts';
import {
  type Instruction,
  type Rail,
  type RailAnswer,
  type RailNotice,
  RailUnreachable,
} from '../../../src/rails/rail.ts';
import { scriptFor } from '../../../src/rails/sandbox-aliases.ts';
import { deriveId, newId, type Uuid } from '../../../src/values/ids.ts';
import type { Fault, Owner, Scheduler } from './scheduler.ts';
import type { VirtualClock } from './virtual-time.ts';

/** Money that left for the payee, or came back. */
interface Movement {
  readonly kind: 'out' | 'back';
  readonly amount: bigint;
}

export interface RailRecord {
  readonly instruction: Instruction;
  status: 'pending' | 'paid' | 'rejected';
  code: string | undefined;
  readonly movements: Movement[];
  submissions: number;
  /** For the first time. */
  readonly sentAt: number;
  /** The rail has contradicted its own report. */
  contradicted: boolean;
}

const CALL_FAULTS: readonly Fault[] = ['lost', 'refused', 'late', 'dies before', 'dies after'];
const ASK_FAULTS: readonly Fault[] = ['lost', 'refused', 'dies before', 'dies after'];
/** An instruction is rejected this long before its deadline, since clocks differ. */
const CLOSES_BEFORE_MS = 20_000;

export class RailModel {
  readonly records = new Map<string, RailRecord>();
  readonly #scheduler: Scheduler;
  readonly #clock: VirtualClock;
  /** The odds that the rail contradicts or repeats a report when it acts. */
  readonly #odds: { readonly contradicts: number; readonly repeats: number };
  readonly #notices: { notice: RailNotice; acknowledged: boolean }[] = [];

  constructor(scheduler: Scheduler, clock: VirtualClock, odds: { contradicts: number; repeats: number }) {
    this.#scheduler = scheduler;
    this.#clock = clock;
    this.#odds = odds;
  }

  get openNotices(): number {
    return this.#notices.filter(({ acknowledged }) => !acknowledged).length;
  }

  /** The rail as one process reaches it, with the simulations of a test book. */
  of(owner: Owner) {
    const reach = <Answer>(what: string, act: () => Answer, faults = CALL_FAULTS): Promise<Answer> =>
      this.#scheduler.come(owner, {
        what: `rail, ${what}`,
        faults,
        act,
        failure: () => new RailUnreachable('The rail gave no answer'),
      });
    const rail: Rail & InTurn<Rail> = {
      name: 'sandbox',
      inTurn: (_, call) => call(rail),
      mode: 'test',
      idempotent: true,
      destinations: ['cliq'],
      paysTokensOf: [],
      resolve: () => Promise.reject(new Error('The model resolves nothing')),
      notFoundFinalAfterMs: 15 * 60_000,
      inquiryDelaysMs: [2_000, 5_000, 15_000, 60_000],
      confirms: { amount: true, currency: true, payee: true },
      payeeDigest,
      callTimeoutMs: 10_000,
      callsAtOnce: 500,
      submit: async (instruction) => {
        const answer = await reach(`submit ${this.#short(instruction.endToEndId)}`, () => this.#submit(instruction));
        if (scriptFor(instruction.destination).breaksOff) throw new RailUnreachable('The rail broke off');
        return answer;
      },
      inquire: (_, id) => reach(`inquire ${this.#short(id)}`, () => this.#inquire(id), ASK_FAULTS),
      notices: (limit, behind) => reach('notices', () => this.#open(limit, behind), ASK_FAULTS),
      acknowledge: (ids) => reach('acknowledge', () => this.#acknowledge(ids)),
    };
    return Object.assign(rail, {
      complete: (_: string, id: string, noticeId: Uuid) =>
        reach('complete', () => this.#tellOnce(noticeId, () => this.#outcome(id, { noticeId, kind: 'paid' }))),
      fail: (_: string, id: string, noticeId: Uuid) =>
        reach('fail', () => this.#tellOnce(noticeId, () => this.#outcome(id, { noticeId, kind: 'rejected' }))),
      return: (_: string, id: string, noticeId: Uuid, amount: bigint) =>
        reach('return', () => this.#tellOnce(noticeId, () => this.#return(id, noticeId, amount))),
    });
  }

  /** An act of the rail's own: it decides a pending instruction, contradicts itself, or repeats a notice. */
  act(): void {
    const { random } = this.#scheduler;
    const pending = [...this.records.values()].filter(({ status }) => status === 'pending');
    if (pending.length > 0 && random.chance(0.7)) {
      const { endToEndId } = random.pick(pending).instruction;
      this.#outcome(endToEndId, { noticeId: newId(), kind: random.chance(0.6) ? 'paid' : 'rejected' });
      this.#scheduler.note(`rail decides ${this.#short(endToEndId)}`);
    } else if (this.records.size > 0 && random.chance(this.#odds.contradicts)) {
      this.#contradict(random.pick([...this.records.values()]));
    } else if (this.#notices.length > 0 && random.chance(this.#odds.repeats)) {
      random.pick(this.#notices).acknowledged = false;
      this.#scheduler.note('rail tells again');
    }
  }

  /** The end of the day: every pending instruction is paid. */
  close(): void {
    for (const { status, instruction } of this.records.values())
      if (status === 'pending') this.#outcome(instruction.endToEndId, { noticeId: newId(), kind: 'paid' });
  }

  #contradict({ status, instruction: { endToEndId } }: RailRecord): void {
    if (status === 'pending') return;
    const kind = status === 'paid' ? 'rejected' : 'paid';
    if (!this.#outcome(endToEndId, { noticeId: newId(), kind, mayContradict: true })) return;
    this.#scheduler.count('contradictions');
    this.#scheduler.note(`rail takes back ${this.#short(endToEndId)}: ${kind}`);
  }

  #submit(instruction: Instruction): RailAnswer {
    const known = this.records.get(instruction.endToEndId);
    if (known) {
      known.submissions += 1;
      return this.#answer(known);
    }
    const script = scriptFor(instruction.destination);
    const isLate = this.#clock.now() > instruction.notAfter - CLOSES_BEFORE_MS;
    const record: RailRecord = {
      instruction,
      status: isLate ? 'rejected' : script.status,
      code: isLate ? 'TM01' : script.code,
      movements: [],
      submissions: 1,
      sentAt: this.#clock.now(),
      contradicted: false,
    };
    this.records.set(instruction.endToEndId, record);
    if (record.status === 'paid') {
      record.movements.push({ kind: 'out', amount: instruction.amount });
      if (script.returned) this.#return(instruction.endToEndId, newId(), script.returned(instruction.amount));
    }
    return this.#answer(record);
  }

  #inquire(endToEndId: string): RailAnswer | NotFound {
    const record = this.records.get(endToEndId);
    if (record) return this.#answer(record);
    return { status: 'not_found', endToEndId, asOf: this.#clock.now(), raw: { status: 'NFND' } };
  }

  #answer({ instruction, status, code }: RailRecord): RailAnswer {
    const { endToEndId, originator } = instruction;
    const reference = deriveId('rail', originator, endToEndId);
    const raw = { status, code: code ?? null };
    return { status, endToEndId, reference, ...(code ? { code } : {}), confirmed: confirmed(instruction), raw };
  }

  #open(limit: number, behind?: Uuid): RailNotice[] {
    const after = this.#notices.findIndex(({ notice }) => notice.id === behind) + 1;
    const open = this.#notices.slice(after).filter(({ acknowledged }) => !acknowledged);
    return open.slice(0, limit).map(({ notice }) => notice);
  }

  #acknowledge(ids: readonly Uuid[]): void {
    for (const told of this.#notices) if (ids.includes(told.notice.id)) told.acknowledged = true;
  }

  #tellOnce(noticeId: Uuid, tell: () => RailNotice | undefined): RailNotice | undefined {
    return this.#notices.find(({ notice }) => notice.id === noticeId)?.notice ?? tell();
  }

  #outcome(
    endToEndId: string,
    told: { noticeId: Uuid; kind: 'paid' | 'rejected'; mayContradict?: boolean },
  ): RailNotice | undefined {
    const record = this.records.get(endToEndId);
    if (!record) return undefined;
    const contradicts = record.status !== 'pending' && record.status !== told.kind;
    // The rail contradicts itself once at most, and never in answer to a client's simulation.
    if (contradicts && (record.contradicted || !told.mayContradict)) return undefined;
    const back = told.kind === 'rejected' ? net(record) : 0n;
    if (back > 0n) record.movements.push({ kind: 'back', amount: back });
    record.contradicted ||= contradicts;
    if (told.kind === 'paid' && record.status !== 'paid')
      record.movements.push({ kind: 'out', amount: record.instruction.amount });
    record.status = told.kind;
    record.code = told.kind === 'rejected' ? 'MS03' : undefined;
    return this.#tell(record, { id: told.noticeId, kind: told.kind, amount: null });
  }

  #return(endToEndId: string, noticeId: Uuid, amount: bigint): RailNotice | undefined {
    const record = this.records.get(endToEndId);
    if (record?.status !== 'paid' || net(record) < amount) return undefined;
    record.movements.push({ kind: 'back', amount });
    return this.#tell(record, { id: noticeId, kind: 'returned', amount });
  }

  #tell({ instruction, code }: RailRecord, told: Pick<RailNotice, 'id' | 'kind' | 'amount'>): RailNotice {
    const { originator, endToEndId } = instruction;
    const notice = {
      ...told,
      originator,
      endToEndId,
      code: code ?? null,
      reference: 'R',
      confirmed: confirmed(instruction),
      createdAt: this.#clock.now(),
    };
    this.#notices.push({ notice, acknowledged: false });
    return notice;
  }

  #short(endToEndId: string): string {
    return String([...this.records.keys()].indexOf(endToEndId));
  }
}

const payeeDigest = (endToEndId: string, payee: string) => deriveId('payee', endToEndId, payee);

function aliasOf(destination: Instruction['destination']): string {
  if (destination.type !== 'cliq') throw new Error('The model pays aliases alone');
  return destination.alias;
}

const confirmed = ({ endToEndId, destination, amount, currency }: Instruction) => ({
  amount,
  currency,
  payeeDigest: payeeDigest(endToEndId, aliasOf(destination)),
});

/** The amount that the payee has. */
export function net({ movements }: RailRecord): bigint {
  return movements.reduce((sum, { kind, amount }) => (kind === 'out' ? sum + amount : sum - amount), 0n);
}
