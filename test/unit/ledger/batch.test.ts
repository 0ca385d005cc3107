import { beforeEach, describe, expect, test } from 'vitest';
import { accounts } from '../../../src/ledger/account/account-table.ts';
import { newAccount } from '../../../src/ledger/account/chart.ts';
import type { Command } from '../../../src/ledger/command/command.ts';
import { Draft } from '../../../src/ledger/command/draft.ts';
import { BookState, unionOfTouches } from '../../../src/ledger/command/state.ts';
import { mayFollow, momentOf } from '../../../src/ledger/commit/batch.ts';
import { inFlightPayouts } from '../../../src/payouts/payout/in-flight-store.ts';
import { payouts } from '../../../src/payouts/payout/payout-table.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { endpointTallies } from '../../../src/webhooks/endpoints/endpoint-store.ts';
import { webhookEndpoints } from '../../../src/webhooks/endpoints/endpoint-table.ts';
import { NO_SINK } from '../../support/book.ts';
import { MemoryBook, START } from '../../support/memory-book.ts';
import { momentAt } from '../../support/moment.ts';

const [ANNA, BERT] = [newId(), newId()] as const;

let memory: MemoryBook;

beforeEach(() => {
  memory = new MemoryBook();
  memory.put(accounts, ANNA, { ...newAccount(ANNA, 'customer', 'EUR'), postedCredits: 1_000n });
  memory.put(accounts, BERT, newAccount(BERT, 'customer', 'EUR'));
});

/** Moves an amount and emits an event; answers with the balance left. Calls `afterwards` at the end of the decision. */
const transfer = (amount: bigint, change: { touches?: Uuid[]; afterwards?: () => void } = {}): Command<unknown> => {
  const id = newId();
  return {
    id,
    name: 'test.transfer',
    requestId: id,
    touches: [{ table: accounts, ids: change.touches ?? [ANNA, BERT] }],
    decide(state, moment) {
      const draft = new Draft(state, { id, requestId: id }, moment);
      draft.post({
        resource: 'entry',
        resourceId: id,
        step: 'done',
        postings: [{ debit: ANNA, credit: BERT, amount }],
      });
      draft.emit({ type: 'account.updated', objectId: ANNA, objectSequence: 1, object: {} });
      draft.enqueue({ pool: 'ledger', job: 'test', id });
      change.afterwards?.();
      return draft.finish(draft.account(ANNA).postedCredits - draft.account(ANNA).postedDebits);
    },
  };
};

describe('commands of one batch', () => {
  test('each decide over the state after the earlier ones', () => {
    expect(memory.run([transfer(100n), transfer(250n)])).toEqual([{ answer: 900n }, { answer: 650n }]);
    expect(memory.entries.map(({ sequence }) => sequence)).toEqual([1n, 2n]);
    expect(memory.account(ANNA)).toMatchObject({ postedDebits: 350n, lines: 2n });
  });

  test('that throw fail alone: they change nothing and use no sequence', () => {
    const bug = new Error('a bug');
    const thrower = transfer(500n, {
      afterwards: () => {
        throw bug;
      },
    });
    expect(memory.run([transfer(100n), thrower, transfer(250n)])).toEqual([
      { answer: 900n },
      { error: bug },
      { answer: 650n },
    ]);
    expect(memory.entries.map(({ sequence }) => sequence)).toEqual([1n, 2n]);
    expect(memory.events.map(({ sequence }) => sequence)).toEqual([1n, 2n]);
    expect(memory.jobs).toHaveLength(2);
    expect(memory.account(BERT).postedCredits).toBe(350n);
  });

  test('that use undeclared ids fail alone, even if no other command declared them', () => {
    const [decision] = memory.run([transfer(100n, { touches: [ANNA] })]);
    expect(decision).toMatchObject({ error: { message: expect.stringMatching(/accounts .* was not declared/) } });
    expect(memory.entries).toEqual([]);
  });

  test('share one row in memory, so that it has both changes', () => {
    const state = memory.state([transfer(1n), transfer(1n)]);
    expect(state.account(ANNA)).toBe(state.account(ANNA));
    expect(state.rowWrites()).toEqual([]);
  });
});

test('declared ids are loaded once a table', () => {
  const union = unionOfTouches([
    [
      { table: accounts, ids: [ANNA, BERT] },
      { table: payouts, ids: ['p'] },
    ],
    [{ table: accounts, ids: [BERT, 'c'] }],
  ]);
  expect([...union].map(([table, ids]) => [table.name, [...ids]])).toEqual([
    ['accounts', [ANNA, BERT, 'c']],
    ['payouts', ['p']],
  ]);
});

const jobOf = (id: string) => (sequence: bigint) => ({
  pool: 'webhooks',
  job: 'delivery.send',
  id: `${sequence}:${id}`,
});

test('an event is delivered to each endpoint that wants it, and a job is enqueued for each', () => {
  const [everything, nothing, testOnly] = [newId(), newId(), newId()] as const;
  memory.subscribers.push(
    { id: everything, behindFrom: null, wants: () => true, jobOf: jobOf(everything) },
    { id: nothing, behindFrom: null, wants: () => false, jobOf: jobOf(nothing) },
    {
      id: testOnly,
      behindFrom: null,
      wants: (type, objectId) => type === 'account.updated' && objectId === ANNA,
      jobOf: jobOf(testOnly),
    },
  );
  memory.run([transfer(1n), transfer(1n)]);
  const deliveries = [1n, 2n].flatMap((eventSequence) =>
    [everything, testOnly].map((subscriberId) => ({ eventSequence, subscriberId, behindFrom: null, createdAt: START })),
  );
  expect(memory.deliveries).toEqual(deliveries);
  const rows = memory.jobs.filter(({ pool }) => pool === 'webhooks').map(({ id }) => id);
  expect(rows).toEqual(deliveries.map(({ eventSequence, subscriberId }) => `${eventSequence}:${subscriberId}`));
});

describe('the moment of a batch', () => {
  test.each`
    clock             | lastPostedAt | moment       | why
    ${START + 5}      | ${START}     | ${START + 5} | ${'time goes on'}
    ${START + 5.9}    | ${START}     | ${START + 5} | ${'it is whole milliseconds'}
    ${START}          | ${START}     | ${START}     | ${'it may stand still'}
    ${START - 60_000} | ${START}     | ${START}     | ${'it never goes back, whatever the clock says'}
  `('is $moment at $clock after $lastPostedAt: $why', ({ clock, lastPostedAt, moment }) => {
    expect(momentOf({ now: () => clock }, { ...memory.book, lastPostedAt })).toEqual({
      book: moment,
      wall: Math.floor(clock),
    });
  });

  test('is the same for all its commands', () => {
    memory.run([transfer(1n), transfer(1n)]);
    expect(new Set(memory.entries.map(({ postedAt }) => postedAt)).size).toBe(1);
  });
});

describe('a batch decided behind an uncommitted one', () => {
  /** The state that a batch of these commands leaves. */
  function leftBy(...commands: Command<unknown>[]): BookState {
    const state = memory.state(commands);
    for (const command of commands) state.apply(command.decide(state, momentAt(START)));
    return state;
  }
  const touching = (...ids: string[]) => unionOfTouches([[{ table: accounts, ids }]]);

  test('sees the rows as the other leaves them, and loads the rest', () => {
    const before = leftBy(transfer(300n));
    const stranger = newId();
    const state = BookState.behind(before, touching(ANNA, stranger));
    expect(state.account(ANNA)).toMatchObject({ postedDebits: 300n });
    expect(state.missing(accounts, [ANNA, stranger])).toEqual([stranger]);
    expect(state.book.entrySequence).toBe(1n);
  });

  test('updates a row that the other inserts', () => {
    const created = newId();
    const creating = transfer(1n);
    const before = leftBy({
      ...creating,
      decide(state, moment) {
        const row = newAccount(created, 'customer', 'EUR');
        return { ...creating.decide(state, moment), rows: [{ table: accounts, id: created, row }] };
      },
    });
    const state = BookState.behind(before, touching(created));
    const row = { ...state.account(created)!, lines: 1n };
    state.apply({ ...transferNothing(state), rows: [{ table: accounts, id: created, row }] });
    expect(state.rowWrites()).toEqual([{ table: accounts, inserted: [], updated: [row] }]);
  });

  test('knows which rows the other found missing', () => {
    const nobody = newId();
    const before = leftBy(transfer(1n, { touches: [ANNA, BERT, nobody] }));
    const state = BookState.behind(before, touching(nobody));
    expect(state.missing(accounts, [nobody])).toEqual([]);
    expect(state.account(nobody)).toBeUndefined();
  });

  test('takes over only the rows that it declares', () => {
    const state = BookState.behind(leftBy(transfer(1n)), touching(ANNA));
    expect(state.missing(accounts, [BERT])).toEqual([BERT]);
    expect(() => state.account(BERT)).toThrow(/was not declared/);
  });

  test("does not write the other's changes again", () => {
    const state = BookState.behind(leftBy(transfer(1n)), touching(ANNA, BERT));
    expect(state.isUnchanged).toBe(true);
  });

  test.each([inFlightPayouts, endpointTallies])('may not read $name, which is derived from other rows', (table) => {
    const command = { ...transfer(1n), touches: [{ table, ids: [ANNA] }] };
    expect(mayFollow(NO_SINK, leftBy(transfer(1n)), [transfer(1n)])).toBe(true);
    expect(mayFollow(NO_SINK, leftBy(transfer(1n)), [transfer(1n), command])).toBe(false);
  });

  test('may not follow a batch that changed the endpoints', () => {
    const changing = transfer(1n);
    const before = leftBy({
      ...changing,
      decide: (state, moment) => ({
        ...changing.decide(state, moment),
        rows: [{ table: webhookEndpoints, id: newId(), row: {} }],
      }),
    });
    expect(mayFollow(NO_SINK, before, [transfer(1n)])).toBe(false);
  });

  function transferNothing(state: BookState) {
    return { book: state.book, entries: [], events: [], appends: [], jobs: [], answer: undefined };
  }
});
