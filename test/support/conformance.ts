/**
 * What every party must keep to, whatever its kind, as cases that take an adapter. An adapter that passes can be settled by
 * src/outside: a party that breaks one of these would pay twice, or leave us guessing.
 */
import { describe, expect, test } from 'vitest';
import { afterNotFound } from '../../src/outside/instructions/inquiry.ts';
import {
  type NotFound,
  type NoticeSender,
  type Party,
  type PartyAnswer,
  type PartyNotice,
  PartyUnreachable,
} from '../../src/outside/party/party.ts';
import { withinLimit } from '../../src/process/time-limit.ts';
import { type Instant, systemClock } from '../../src/values/clock.ts';
import { newId, type Uuid } from '../../src/values/ids.ts';
import { toJson } from '../../src/values/json.ts';

export type ConformingParty = Party &
  NoticeSender & { inquire(originator: string, endToEndId: string): Promise<PartyAnswer | NotFound> };

/** A party under test, with the hands that move it. */
export interface ConformanceAdapter {
  readonly party: ConformingParty;
  /** What the party calls an instruction that moved money, one that it refused, and one that it has not decided. */
  readonly words: Readonly<Record<Decision | 'open', string>>;
  submit(instruction: Submitted): Promise<PartyAnswer>;
  /** How often the party has moved money for an instruction, by its own books. */
  movements(originator: string, endToEndId: string): Promise<number>;
  /** The party decides, late or anew, and tells of it by a notice. */
  decide(originator: string, endToEndId: string, decision: Decision): Promise<unknown>;
  /** The same party, where calls are never answered. */
  hanging(): Promise<Pick<ConformingParty, 'inquire' | 'callTimeoutMs'>>;
  close(): Promise<void>;
}

export type Decision = 'moved' | 'refused';

export interface Submitted {
  readonly originator: string;
  readonly endToEndId: string;
  readonly outcome: Decision | 'open';
  readonly amount: bigint;
  /** Carried out, and the connection lost before the answer. */
  readonly silent?: boolean;
  readonly notAfter: Instant;
}

export interface ConformanceCase {
  readonly name: string;
  run(adapter: ConformanceAdapter): Promise<void>;
}

const MINUTE_MS = 60_000;
const AMOUNT = 900n;
/** Beyond a call's own limit: the time of a busy machine. */
const SLACK_MS = 5_000;

export const CONFORMANCE: readonly ConformanceCase[] = [
  {
    name: 'idempotent: one id has one answer and one movement, however often it is submitted',
    async run(adapter) {
      const sent = instruction('moved');
      const answers = await Promise.all(Array.from({ length: 20 }, () => adapter.submit(sent)));
      answers.push(await adapter.submit(sent));
      expect(new Set(answers.map((answer) => toJson(answer))).size).toBe(1);
      expect(answers[0]).toMatchObject({ endToEndId: sent.endToEndId, status: adapter.words.moved });
      await expectSettled(adapter, sent, { status: 'moved', movements: 1 });
      // An id belongs to its originator.
      expect(await adapter.party.inquire(newId(), sent.endToEndId)).toMatchObject({ status: 'not_found' });
    },
  },
  {
    name: 'unknown: a call without an answer is settled by inquiry, and repeating it moves nothing more',
    async run(adapter) {
      for (const [outcome, movements] of [['moved', 1] as const, ['refused', 0] as const]) {
        const sent = { ...instruction(outcome), silent: true };
        for (let attempt = 0; attempt < 2; attempt++)
          await expect(adapter.submit(sent)).rejects.toBeInstanceOf(PartyUnreachable);
        await expectSettled(adapter, sent, { status: outcome, movements });
      }
    },
  },
  {
    name: 'late: a decision that comes later is told by a notice, until it is acknowledged',
    async run(adapter) {
      const sent = instruction('open');
      expect(await adapter.submit(sent)).toMatchObject({ status: adapter.words.open });
      await expectSettled(adapter, sent, { status: 'open', movements: 0 });
      expect(await noticesOf(adapter, sent)).toEqual([]);
      await adapter.decide(sent.originator, sent.endToEndId, 'moved');
      await expectSettled(adapter, sent, { status: 'moved', movements: 1 });
      const [notice, ...more] = await noticesOf(adapter, sent);
      expect(more).toEqual([]);
      expect(notice).toMatchObject({ kind: adapter.words.moved, originator: sent.originator });
      await adapter.party.acknowledge([notice!.id]);
      expect(await noticesOf(adapter, sent)).toEqual([]);
    },
  },
  {
    name: 'twice: a notice told again is the same, and neither it nor its acknowledgement does anything twice',
    async run(adapter) {
      const sent = instruction('open');
      await adapter.submit(sent);
      await adapter.decide(sent.originator, sent.endToEndId, 'moved');
      const told = await noticesOf(adapter, sent);
      expect(told).toHaveLength(1);
      expect(await noticesOf(adapter, sent)).toEqual(told);
      expect(await adapter.submit(sent)).toMatchObject({ status: adapter.words.moved });
      expect(await noticesOf(adapter, sent)).toEqual(told);
      const ids = told.map(({ id }) => id);
      await Promise.all([adapter.party.acknowledge(ids), adapter.party.acknowledge(ids)]);
      await adapter.party.acknowledge(ids);
      expect(await noticesOf(adapter, sent)).toEqual([]);
      await expectSettled(adapter, sent, { status: 'moved', movements: 1 });
    },
  },
  {
    name: 'contradicting: each decision is a notice of its own, in order, and what another submission asks changes nothing',
    async run(adapter) {
      const sent = instruction('moved');
      const answer = await adapter.submit(sent);
      const other = { ...sent, amount: AMOUNT + 1n, outcome: 'refused' as const };
      // Answered as the first was, or not at all.
      const second = await adapter.submit(other).catch((error: unknown) => error);
      if (!(second instanceof PartyUnreachable)) expect(toJson(second)).toBe(toJson(answer));
      await expectSettled(adapter, sent, { status: 'moved', movements: 1 });
      await adapter.decide(sent.originator, sent.endToEndId, 'refused');
      expect(await adapter.party.inquire(sent.originator, sent.endToEndId)).toMatchObject({
        status: adapter.words.refused,
      });
      await adapter.decide(sent.originator, sent.endToEndId, 'moved');
      const told = await noticesOf(adapter, sent);
      expect(told.map(({ kind }) => kind)).toEqual([adapter.words.refused, adapter.words.moved]);
      expect(new Set(told.map(({ id }) => id)).size).toBe(2);
      const [first] = told;
      expect((await noticesOf(adapter, sent, first!.id)).map(({ id }) => id)).toEqual([told[1]!.id]);
      for (const notice of told) expect(JSON.parse(toJson(notice))).toMatchObject({ endToEndId: sent.endToEndId });
    },
  },
  {
    name: 'never received: "not found" fails nothing before its time, and after it the id is refused for good',
    async run(adapter) {
      const { party } = adapter;
      const sent = instruction('moved');
      const unheard = await party.inquire(sent.originator, sent.endToEndId);
      expect(unheard).toMatchObject({ status: 'not_found', endToEndId: sent.endToEndId });
      const now = systemClock.now();
      const next = (sentAt: Instant) => afterNotFound(party, unheard as NotFound, { sentAt, now });
      expect(next(now)).toBe(party.idempotent ? 'send_again' : 'ask_again');
      expect(next(now - party.notFoundFinalAfterMs - 2 * MINUTE_MS)).toBe('never_received');
      const { asOf } = unheard as NotFound;
      if (asOf !== undefined) expect(Math.abs(asOf - now)).toBeLessThan(MINUTE_MS);

      await adapter.submit(sent);
      await expectSettled(adapter, sent, { status: 'moved', movements: 1 });

      const late = { ...instruction('moved'), notAfter: now - 1 };
      const refused = await adapter.submit(late).catch((error: unknown) => error);
      if (!(refused instanceof PartyUnreachable)) expect(refused).toMatchObject({ status: adapter.words.refused });
      expect(await adapter.movements(late.originator, late.endToEndId)).toBe(0);
      expect((await party.inquire(late.originator, late.endToEndId)).status).not.toBe(adapter.words.moved);
    },
  },
  {
    name: 'limits kept: a call ends within its limit, and a page has no more than was asked for',
    async run(adapter) {
      const { party } = adapter;
      expect(party.callsAtOnce).toBeGreaterThan(0);
      expect(party.inquiryDelaysMs.length).toBeGreaterThan(0);
      const hanging = await adapter.hanging();
      const call = hanging.inquire(newId(), newId());
      const ended = withinLimit(call, { what: 'The call', limitMs: hanging.callTimeoutMs + SLACK_MS });
      await expect(ended).rejects.toBeInstanceOf(PartyUnreachable);

      const sent = [instruction('open'), instruction('open')];
      for (const one of sent) {
        await adapter.submit(one);
        await adapter.decide(one.originator, one.endToEndId, 'refused');
      }
      expect(await party.notices(1)).toHaveLength(1);
      for (const one of sent) await expectSettled(adapter, one, { status: 'refused', movements: 0 });
    },
  },
];

/** Cases of one party. `makeAdapter` is called once for each. */
export function describeConformance(name: string, makeAdapter: () => Promise<ConformanceAdapter>): void {
  describe(`${name} keeps to what every party must`, () => {
    test.each(CONFORMANCE.map((one) => [one.name, one] as const))('%s', async (_, { run }) => {
      const adapter = await makeAdapter();
      try {
        await run(adapter);
      } finally {
        await adapter.close();
      }
    });
  });
}

function instruction(outcome: Submitted['outcome']): Submitted {
  return { originator: newId(), endToEndId: newId(), outcome, amount: AMOUNT, notAfter: systemClock.now() + MINUTE_MS };
}

async function expectSettled(
  { party, words, movements }: ConformanceAdapter,
  { originator, endToEndId }: Submitted,
  expected: { status: Submitted['outcome']; movements: number },
): Promise<void> {
  expect(await party.inquire(originator, endToEndId)).toMatchObject({ status: words[expected.status], endToEndId });
  expect(await movements(originator, endToEndId)).toBe(expected.movements);
}

async function noticesOf({ party }: ConformanceAdapter, sent: Submitted, behind?: Uuid): Promise<PartyNotice[]> {
  const told = await party.notices(1_000, behind);
  return told.filter((notice) => notice.originator === sent.originator && notice.endToEndId === sent.endToEndId);
}
