/** The chain of statements: whatever order they come in, all are released once all are here, with and without numbers. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Chained, goesOn, nextOfChain, type Waiting } from '../../../src/reconciliation/statements/chain.ts';
import { runs } from '../../support/runs.ts';

/** An account that takes statements one by one, as an import does. */
class Account {
  balance = 0n;
  chainedOn: string | null = null;
  readonly underWay = 0;
  waiting: Waiting[] = [];
  readonly posted: Chained[] = [];
  /** In the order of their release. */
  readonly released: string[] = [];

  take(statement: Waiting): void {
    if (goesOn(this, statement)) this.#post(statement);
    else this.waiting.push(statement);
    for (let ids = nextOfChain(this, this.waiting, this.posted); ids.length > 0; ) {
      for (const id of ids) this.#post(this.waiting.find((one) => one.id === id)!);
      this.waiting = this.waiting.filter(({ id }) => !ids.includes(id));
      ids = nextOfChain(this, this.waiting, this.posted);
    }
  }

  #post({ id, on, opening, closing }: Waiting): void {
    this.released.push(id);
    this.balance += closing - opening;
    if (this.chainedOn === null || this.chainedOn < on) this.chainedOn = on;
    this.posted.push({ on, opening, closing, moved: closing - opening });
  }
}

interface Drawn {
  readonly on: string;
  readonly number: string | null;
  readonly amount: number;
}

function chainOf(drawn: readonly Drawn[]): Waiting[] {
  let balance = 0n;
  return drawn.map(({ on, number, amount }, index) => {
    const opening = balance;
    balance += BigInt(amount);
    return { id: `${index}`.padStart(2, '0'), on, number, page: null, opening, closing: balance, behind: null };
  });
}

const day = (index: number) => `2026-11-${String(index + 1).padStart(2, '0')}`;

const histories = fc
  .record({
    days: fc.array(fc.array(fc.integer({ min: -1, max: 1 }), { maxLength: 3 }), { minLength: 1, maxLength: 6 }),
    isNumbered: fc.boolean(),
    order: fc.array(fc.nat(), { minLength: 18, maxLength: 18 }),
  })
  .map(({ days, isNumbered, order }) => {
    let number = 0;
    const drawn = days.flatMap((amounts, index) =>
      amounts.map((amount) => ({ on: day(index), number: isNumbered ? String(++number) : null, amount })),
    );
    const chain = chainOf(drawn);
    const turned = chain.map((one, index) => ({ one, at: order[index]! })).sort((a, b) => a.at - b.at);
    return { chain, turned: turned.map(({ one }) => one) };
  });

test('whatever order statements come in, all are released once all are here', () => {
  fc.assert(
    fc.property(histories, ({ chain, turned }) => {
      const account = new Account();
      for (const one of turned) account.take(one);
      expect(account.waiting).toEqual([]);
      expect(account.balance).toBe(chain.at(-1)?.closing ?? 0n);
    }),
    { numRuns: runs(3_000) },
  );
});

test('while one is missing, what stands before it is released, unless something behind it is', () => {
  fc.assert(
    fc.property(histories, fc.nat(), ({ chain, turned }, nth) => {
      fc.pre(chain.length > 1);
      const missing = chain[nth % chain.length]!;
      const account = new Account();
      for (const one of turned.filter(({ id }) => id !== missing.id)) account.take(one);
      const isAhead = account.released.some((id) => id > missing.id);
      if (!isAhead) expect(account.waiting.filter(({ id }) => id < missing.id)).toEqual([]);
      account.take(missing);
      expect(account.waiting).toEqual([]);
    }),
    { numRuns: runs(3_000) },
  );
});

test.each`
  what                                                   | come            | released
  ${'in their order they go on one from the other'}      | ${[0, 1, 2]}    | ${['00', '01', '02']}
  ${'one that leads away waits for one that leads back'} | ${[0, 3, 1]}    | ${['00', '03']}
  ${'both are released between those that are posted'}   | ${[0, 3, 2, 1]} | ${['00', '03', '01', '02']}
  ${'what begins elsewhere waits'}                       | ${[2, 0]}       | ${['00']}
`('$what', ({ come, released }) => {
  const chain = chainOf([
    { on: day(0), number: '1', amount: 100 },
    { on: day(1), number: '2', amount: 50 },
    { on: day(2), number: '3', amount: -50 },
    { on: day(3), number: '4', amount: 20 },
  ]);
  const account = new Account();
  for (const index of come as number[]) account.take(chain[index]!);
  expect(account.released).toEqual(released);
});

test('a loop at a balance that the account did not have on its day is not released', () => {
  const account = new Account();
  const of = { number: null, page: null, behind: null };
  account.take({ ...of, id: 'a', on: day(0), opening: 0n, closing: 100n });
  account.take({ ...of, id: 'b', on: day(4), opening: 100n, closing: 500n });
  account.take({ ...of, id: 'c', on: day(2), opening: 500n, closing: 500n });
  expect(account.waiting.map(({ id }) => id)).toEqual(['c']);
});

test('while a statement is being posted nothing is released', () => {
  const [first] = chainOf([{ on: day(0), number: null, amount: 1 }]);
  expect(nextOfChain({ balance: 0n, chainedOn: null, underWay: 1 }, [first!], [])).toEqual([]);
  expect(nextOfChain({ balance: 0n, chainedOn: null, underWay: 0 }, [first!], [])).toEqual(['00']);
});
