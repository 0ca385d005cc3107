import { describe, expect, test, vi } from 'vitest';
import { CallShares, PartyBusy } from '../../../src/outside/call-shares.ts';

const settled = () => new Promise(setImmediate);

/** A party whose calls the test ends. */
function slowParty(shares: CallShares, name: string, callsAtOnce = 2) {
  const party = { name, callsAtOnce };
  const underWay: { id: string; end: () => void }[] = [];
  return {
    underWay,
    async ask(bookId: string, ids: readonly string[]) {
      for (const id of ids) {
        await shares.make({ party, bookId, id }, () => {
          return new Promise<void>((resolve) => underWay.push({ id, end: resolve }));
        });
      }
      await settled();
    },
    ids: () => underWay.map(({ id }) => id),
  };
}
const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('calls to outside parties', () => {
  test('a job does not wait for its calls', async () => {
    const shares = new CallShares({ waiting: 10 });
    const rail = slowParty(shares, 'slow');
    await rail.ask('book', ['a', 'b', 'c']);
    expect(rail.ids()).toEqual(['a']);
  });

  test('a slow party does not delay others', async () => {
    const shares = new CallShares({ waiting: 100 });
    await slowParty(shares, 'slow').ask('book', numbered('s', 50));
    const quick = slowParty(shares, 'quick');
    await quick.ask('book', ['a']);
    expect(quick.ids()).toEqual(['a']);
  });

  test('a book with many calls leaves places for other books', async () => {
    const shares = new CallShares({ waiting: 100 });
    const rail = slowParty(shares, 'rail', 8);
    await rail.ask('busy', numbered('busy', 50));
    await rail.ask('quiet', ['quiet']);
    expect(rail.ids()).toEqual(['busy0', 'busy1', 'busy2', 'busy3', 'quiet']);
  });

  test('and leaves room to wait: rows beyond its share stay due', async () => {
    const shares = new CallShares({ waiting: 10 });
    const rail = slowParty(shares, 'rail');
    await rail.ask('busy', numbered('busy', 50));
    await rail.ask('quiet', ['quiet0', 'quiet1']);
    for (let ended = 0; ended < rail.underWay.length; ended++) {
      rail.underWay[ended]!.end();
      await settled();
    }
    const made = rail.ids();
    expect(made.filter((id) => id.startsWith('busy'))).toHaveLength(6);
    expect(made).toEqual(expect.arrayContaining(['quiet0', 'quiet1']));
  });

  test('a row with a waiting or running call is not called again', async () => {
    const shares = new CallShares({ waiting: 10 });
    const rail = slowParty(shares, 'rail');
    await rail.ask('book', ['a', 'b', 'a', 'b']);
    rail.underWay[0]!.end();
    await settled();
    rail.underWay[1]!.end();
    await settled();
    expect(rail.ids()).toEqual(['a', 'b']);
    await rail.ask('book', ['a']);
    expect(rail.ids()).toEqual(['a', 'b', 'a']);
  });

  test('closing waits for running calls, starts no more, and gives up at its limit', async () => {
    const shares = new CallShares({ waiting: 10 });
    const rail = slowParty(shares, 'rail');
    await rail.ask('book', ['a', 'b']);
    expect(await shares.close({ limitMs: 20 })).toBe(false);
    const closed = shares.close({ limitMs: 5_000 });
    rail.underWay[0]!.end();
    expect(await closed).toBe(true);
    expect(rail.ids()).toEqual(['a']);
    await rail.ask('book', ['c']);
    expect(rail.ids()).toEqual(['a']);
  });

  test('who waits for an answer gets it in turn, among the calls of jobs', async () => {
    const shares = new CallShares({ waiting: 10 });
    const rail = slowParty(shares, 'rail');
    await rail.ask('book', ['a', 'b']);
    const asked = { party: { name: 'rail', callsAtOnce: 2 }, bookId: 'book', id: 'c' };
    let answer: unknown;
    const answered = shares.ask(asked, () => Promise.resolve('paid')).then((given) => (answer = given));
    await settled();
    expect(answer).toBeUndefined();
    rail.underWay[0]!.end();
    await settled();
    rail.underWay[1]!.end();
    await answered;
    expect(answer).toBe('paid');
  });

  test('and is told at once that there is no place: nothing was sent', async () => {
    const shares = new CallShares({ waiting: 2 });
    const rail = slowParty(shares, 'rail');
    await rail.ask('book', ['a', 'b', 'c']);
    const asked = { party: { name: 'rail', callsAtOnce: 2 }, bookId: 'book', id: 'd' };
    const call = vi.fn(() => Promise.resolve());
    await expect(shares.ask(asked, call)).rejects.toThrow(PartyBusy);
    await expect(shares.ask({ ...asked, id: 'a' }, call)).rejects.toThrow(PartyBusy);
    await shares.close({ limitMs: 1 });
    await expect(shares.ask({ ...asked, bookId: 'other' }, call)).rejects.toThrow(PartyBusy);
    expect(call).not.toHaveBeenCalled();
  });

  test('an error of the call is that of who asked, and leaves its place', async () => {
    const shares = new CallShares({ waiting: 10 });
    const asked = { party: { name: 'rail', callsAtOnce: 2 }, bookId: 'book', id: 'a' };
    await expect(shares.ask(asked, () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    expect(await shares.ask(asked, () => Promise.resolve('again'))).toBe('again');
  });
});
