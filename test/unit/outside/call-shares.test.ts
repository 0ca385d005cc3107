import { describe, expect, test } from 'vitest';
import { CallShares } from '../../../src/outside/call-shares.ts';

const settled = () => new Promise(setImmediate);

/** A party whose calls the test ends. */
function slowParty(shares: CallShares, party: string) {
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
    const shares = new CallShares({ places: 2, waiting: 10 });
    const rail = slowParty(shares, 'slow');
    await rail.ask('book', ['a', 'b', 'c']);
    expect(rail.ids()).toEqual(['a']);
  });

  test('a slow party does not delay others', async () => {
    const shares = new CallShares({ places: 2, waiting: 100 });
    await slowParty(shares, 'slow').ask('book', numbered('s', 50));
    const quick = slowParty(shares, 'quick');
    await quick.ask('book', ['a']);
    expect(quick.ids()).toEqual(['a']);
  });

  test('a book with many calls leaves places for other books', async () => {
    const shares = new CallShares({ places: 8, waiting: 100 });
    const rail = slowParty(shares, 'rail');
    await rail.ask('busy', numbered('busy', 50));
    await rail.ask('quiet', ['quiet']);
    expect(rail.ids()).toEqual(['busy0', 'busy1', 'busy2', 'busy3', 'quiet']);
  });

  test('and leaves room to wait: rows beyond its share stay due', async () => {
    const shares = new CallShares({ places: 2, waiting: 10 });
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
    const shares = new CallShares({ places: 2, waiting: 10 });
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
    const shares = new CallShares({ places: 2, waiting: 10 });
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
});
