import { describe, expect, test, vi } from 'vitest';
import { SharedSandboxAcquirer } from '../../../src/acquirers/shared-acquirer.ts';
import { type CallFor, CallLimits, PartyBusy } from '../../../src/outside/calls/call-limits.ts';
import { JobCalls } from '../../../src/outside/calls/job-calls.ts';
import { withinLimit } from '../../../src/process/time-limit.ts';
import { newId } from '../../../src/values/ids.ts';

const settled = () => new Promise(setImmediate);

/** A party whose calls the test ends. Its client is nothing but its name. */
function slowParty(limits: CallLimits, name: string, callsAtOnce = 2, callTimeoutMs = 60_000) {
  const underWay: { id: string; end: (error?: Error) => void }[] = [];
  const party = {
    name,
    inTurn: <Answer>(bookId: string, call: (client: string) => Promise<Answer>, callFor: CallFor = 'request') =>
      limits.inTurn({ party: { name, callsAtOnce, callTimeoutMs }, bookId, callFor }, () => call(name)),
  };
  const answered = (id: string) =>
    new Promise<string>((resolve, reject) => {
      underWay.push({ id, end: (error) => (error ? reject(error) : resolve(`${id} is paid`)) });
    });
  return {
    party,
    underWay,
    jobs: new JobCalls(),
    async give(bookId: string, ids: readonly string[], { behind = false } = {}) {
      for (const id of ids) await this.jobs.make({ party, bookId, id, behind }, async () => void (await answered(id)));
      await settled();
    },
    answered,
    /** For a request. */
    ask: (bookId: string, id: string) => party.inTurn(bookId, () => answered(id)),
    async endAll() {
      for (let ended = 0; ended < underWay.length; ended++) {
        underWay[ended]!.end();
        await settled();
      }
    },
    ids: () => underWay.map(({ id }) => id),
  };
}
const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('calls of jobs', () => {
  test('are not waited for', async () => {
    const rail = slowParty(new CallLimits(), 'slow');
    await rail.give('book', ['a', 'b', 'c']);
    expect(rail.ids()).toEqual(['a']);
  });

  test('to a slow party do not delay those to others', async () => {
    const limits = new CallLimits();
    await slowParty(limits, 'slow').give('book', numbered('s', 50));
    const quick = slowParty(limits, 'quick');
    await quick.give('book', ['a']);
    expect(quick.ids()).toEqual(['a']);
  });

  test('of a book with many leave places for other books', async () => {
    const rail = slowParty(new CallLimits(), 'rail', 8);
    await rail.give('busy', numbered('busy', 50));
    await rail.give('quiet', ['quiet']);
    expect(rail.ids()).toEqual(['busy0', 'busy1', 'busy2', 'busy3', 'quiet']);
  });

  test('leave room to wait: rows beyond the limit of their book stay due', async () => {
    const rail = slowParty(new CallLimits({ jobsWaiting: 10 }), 'rail');
    await rail.give('busy', numbered('busy', 50));
    await rail.give('quiet', ['quiet0', 'quiet1']);
    await rail.endAll();
    const made = rail.ids();
    expect(made.filter((id) => id.startsWith('busy'))).toHaveLength(6);
    expect(made).toEqual(expect.arrayContaining(['quiet0', 'quiet1']));
  });

  test('that are inquiries leave places for what is sent for the first time', async () => {
    const rail = slowParty(new CallLimits(), 'rail', 8);
    await rail.give('book', numbered('inquiry', 50), { behind: true });
    await rail.give('book', ['sent']);
    expect(rail.ids()).toEqual(['inquiry0', 'inquiry1', 'inquiry2', 'inquiry3', 'sent']);
  });

  test('are made once for a row at a time', async () => {
    const rail = slowParty(new CallLimits(), 'rail');
    await rail.give('book', ['a', 'b', 'a', 'b']);
    await rail.endAll();
    expect(rail.ids()).toEqual(['a', 'b']);
    await rail.give('book', ['a']);
    expect(rail.ids()).toEqual(['a', 'b', 'a']);
  });

  test('end with their pool: it waits for running ones, starts no more, and gives up at its limit', async () => {
    const rail = slowParty(new CallLimits(), 'rail');
    await rail.give('book', ['a', 'b']);
    expect(await rail.jobs.close({ limitMs: 20 })).toBe(false);
    const closed = rail.jobs.close({ limitMs: 5_000 });
    await rail.endAll();
    expect(await closed).toBe(true);
    await rail.give('book', ['c']);
    expect(rail.ids()).toEqual(['a']);
    // Another pool of the process goes on.
    rail.jobs = new JobCalls();
    await rail.give('book', ['d']);
    expect(rail.ids()).toEqual(['a', 'd']);
  });
});

describe('calls of requests', () => {
  test('are answered in turn, and do not wait for those of jobs', async () => {
    const rail = slowParty(new CallLimits(), 'rail');
    await rail.give('book', ['a', 'b']);
    const asked = ['c', 'd'].map((id) => rail.ask('book', id));
    await settled();
    expect(rail.ids()).toEqual(['a', 'c']);
    await rail.endAll();
    expect(await Promise.all(asked)).toEqual(['c is paid', 'd is paid']);
    expect(rail.ids()).toEqual(expect.arrayContaining(['a', 'b', 'c', 'd']));
  });

  test('are told at once that there is no place, by their own book alone, and nothing is sent', async () => {
    const rail = slowParty(new CallLimits(), 'rail', 8);
    const flood = numbered('busy', 20).map((id) => rail.ask('busy', id));
    const outcomes = Promise.allSettled(flood);
    const other = rail.ask('quiet', 'quiet');
    await settled();
    expect(rail.ids()).toEqual(['busy0', 'busy1', 'busy2', 'busy3', 'quiet']);
    await rail.endAll();
    expect(await other).toBe('quiet is paid');
    const refused = (await outcomes).filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    // Half of eight slots, and as many places to wait: nobody waits for longer than the calls before take.
    expect(refused.map(({ reason }) => reason.constructor)).toEqual(new Array(12).fill(PartyBusy));
    expect(rail.ids()).toHaveLength(9);
    const again = rail.ask('busy', 'again');
    await settled();
    await rail.endAll();
    expect(await again).toBe('again is paid');
  });

  test('about challenges, which name no book, leave room for notices', async () => {
    const begun: string[] = [];
    let end = () => undefined as unknown;
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    const silent = (call: string) => () => {
      begun.push(call);
      return over;
    };
    const client = {
      ...{ name: 'sandbox', callsAtOnce: 4, callTimeoutMs: 60_000 },
      ...{ findChallenge: silent('challenge'), notices: silent('notices'), acknowledge: silent('acknowledged') },
    };
    const acquirer = new SharedSandboxAcquirer(client as never, new CallLimits());
    const pages = Array.from({ length: 20 }, () => acquirer.findChallenge(newId()));
    const outcomes = Promise.allSettled(pages);
    await settled();
    const told = acquirer.notices(10);
    await settled();
    expect(begun).toEqual(['challenge', 'challenge', 'notices']);
    end();
    await Promise.all([told, outcomes]);
  });

  test('of a book that has none find a place, however many books wait', async () => {
    const rail = slowParty(new CallLimits(), 'rail', 2);
    const asked = numbered('book', 20).map((book) => rail.ask(book, book));
    await settled();
    await rail.endAll();
    expect((await Promise.all(asked)).length).toBe(20);
  });

  test.each([2, 8, 64, 500])(
    'have slots of their own: of %i, jobs that never end take none of them',
    async (callsAtOnce) => {
      const rail = slowParty(new CallLimits({ jobsWaiting: 100 }), 'rail', callsAtOnce);
      await rail.give('book', numbered('job', callsAtOnce * 2));
      for (const book of numbered('other', 20)) await rail.give(book, numbered(`${book} job`, callsAtOnce));
      const jobs = rail.ids().length;
      expect(jobs).toBeGreaterThanOrEqual(callsAtOnce / 2);
      for (const book of ['book', 'quiet']) {
        const asked = rail.ask(book, `asked by ${book}`);
        await settled();
        rail.underWay.at(-1)!.end();
        expect(await asked).toBe(`asked by ${book} is paid`);
      }
      // No job has ended, and none has taken the place of a request that has.
      expect(rail.ids()).toHaveLength(jobs + 2);
    },
  );

  test('wait for as long as a call may take, and are refused then: nothing is sent', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const rail = slowParty(new CallLimits(), 'rail', 2, 100);
      void rail.ask('book', 'never ends').catch(() => undefined);
      const asked = [rail.ask('book', 'a'), rail.ask('book', 'b')];
      const outcomes = Promise.allSettled(asked);
      await vi.advanceTimersByTimeAsync(99);
      let refused = false;
      void outcomes.then(() => {
        refused = true;
      });
      await settled();
      expect(refused).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      const reasons = (await outcomes).map((outcome) => (outcome as PromiseRejectedResult).reason.constructor);
      expect(reasons).toEqual([PartyBusy, PartyBusy]);
      expect(rail.ids()).toEqual(['never ends']);
      // Who is refused leaves its place.
      const next = [rail.ask('book', 'c'), rail.ask('book', 'd')];
      await rail.endAll();
      expect(await Promise.all(next)).toEqual(['c is paid', 'd is paid']);
    } finally {
      vi.useRealTimers();
    }
  });

  test('fail with the error of the call, and leave their place', async () => {
    const rail = slowParty(new CallLimits(), 'rail');
    const asked = rail.ask('book', 'a');
    await settled();
    rail.underWay[0]!.end(new Error('refused'));
    await expect(asked).rejects.toThrow('refused');
    const again = rail.ask('book', 'b');
    await settled();
    rail.underWay[1]!.end();
    expect(await again).toBe('b is paid');
  });

  test('begin their time limit when they are sent', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const limits = new CallLimits();
      const limited = (of: { endsAfterMs: number }) =>
        limits.inTurn(
          { party: { name: 'rail', callsAtOnce: 2, callTimeoutMs: 100 }, bookId: 'book', callFor: 'request' },
          () =>
            withinLimit(new Promise((resolve) => setTimeout(resolve, of.endsAfterMs, 'paid')), {
              what: 'It',
              limitMs: 100,
            }),
        );
      const both = [limited({ endsAfterMs: 90 }), limited({ endsAfterMs: 90 })];
      await vi.advanceTimersByTimeAsync(200);
      expect(await Promise.all(both)).toEqual(['paid', 'paid']);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('calls that are made now or not at all', () => {
  test('take free slots, half of them a book, and wait for none', async () => {
    const rail = slowParty(new CallLimits(), 'rail', 8);
    const now = (bookId: string, id: string) => rail.party.inTurn(bookId, () => rail.answered(id), 'now');
    const made = numbered('n', 4).map((id) => now('book', id));
    await settled();
    await expect(now('book', 'n4')).rejects.toThrow(PartyBusy);
    const other = now('other', 'o0');
    await settled();
    await rail.endAll();
    expect(await Promise.all([...made, other])).toEqual(['n0', 'n1', 'n2', 'n3', 'o0'].map((id) => `${id} is paid`));
    expect(rail.ids()).not.toContain('n4');
  });

  test('overtake nobody who waits', async () => {
    const rail = slowParty(new CallLimits(), 'rail', 2);
    const asked = ['a', 'b'].map((id) => rail.ask('book', id));
    await settled();
    await expect(rail.party.inTurn('book', () => rail.answered('c'), 'now')).rejects.toThrow(PartyBusy);
    await rail.endAll();
    expect(await Promise.all(asked)).toEqual(['a is paid', 'b is paid']);
  });
});
