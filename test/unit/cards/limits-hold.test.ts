/** Whatever is asked, in whatever order and over however many days: what we decide exceeds neither a limit nor the funds. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SCOPES } from '../../../src/cards/controls/controls.ts';
import type { Limit } from '../../../src/cards/controls/controls-content.ts';
import { NO_FEES } from '../../../src/cards/program/program.ts';
import { NO_CONTROLS } from '../../support/controls.ts';
import { CardPlayer } from './card-player.ts';
import { limitOf } from './decision-values.ts';

const HOUR_MS = 60 * 60_000;

const limits = fc.array(
  fc.record({
    window: fc.constantFrom('day', 'week', 'month', 'year', 'all_time'),
    amount: fc.option(fc.bigInt({ min: 0n, max: 3_000n })),
    count: fc.option(fc.bigInt({ min: 0n, max: 4n })),
    for: fc.constantFrom(null, { kinds: ['cash'] }, { kinds: ['purchase'], countries: ['US'] }),
  }),
  { maxLength: 3 },
);

const steps = fc.array(
  fc.record({
    does: fc.constantFrom('authorize', 'authorize', 'increment', 'reverse', 'expire', 'clear'),
    of: fc.nat({ max: 5 }),
    amount: fc.bigInt({ min: 1n, max: 1_500n }),
    partial: fc.boolean(),
    kind: fc.constantFrom('purchase', 'cash'),
    hours: fc.integer({ min: 0, max: 40 }),
  }),
  { maxLength: 25 },
);

type Step = typeof steps extends fc.Arbitrary<(infer One)[]> ? One : never;

function take(player: CardPlayer, names: string[], { does, of, amount, partial, kind }: Step): void {
  const known = names[of % Math.max(1, names.length)];
  if (does === 'authorize' || known === undefined) {
    const name = String(names.length);
    names.push(name);
    player.authorize(name, amount, { partialApprovalAllowed: partial, facts: { kind: kind as 'cash' } });
  } else if (does === 'increment') player.increment(known, amount, { partialApprovalAllowed: partial });
  else if (does === 'reverse') player.reverse(known, partial ? undefined : amount);
  else if (does === 'expire') player.expire(known);
  // No more than is held: what is more, nobody can refuse.
  else if (player.hold(known) > 0n) player.clear(known, player.hold(known));
}

test('no limit and no balance is exceeded by what we decide', () => {
  fc.assert(
    fc.property(fc.tuple(limits, limits, limits), steps, (inScopes, taken) => {
      const player = new CardPlayer();
      player.account = { ...player.account, posted: 6_000n };
      player.program = {
        ...player.program,
        fees: {
          ...NO_FEES,
          cash: { fixed: 7n, basisPoints: 150n, minimum: null, maximum: null, rounding: 'half_even' },
        },
      };
      const inForce = SCOPES.map(
        (scope, place) => [scope, inScopes[place]!.map((one) => limitOf(one as Limit))] as const,
      );
      for (const [scope, ofScope] of inForce) player.control(scope, { ...NO_CONTROLS, limits: ofScope });
      const names: string[] = [];
      for (const step of taken) {
        player.now += step.hours * HOUR_MS;
        take(player, names, step);
        expect(player.balance - player.held).toBeGreaterThanOrEqual(0n);
        for (const [scope, ofScope] of inForce)
          for (const place of ofScope.keys()) {
            const { amount, count } = player.usage(scope, place);
            if (amount !== null) expect(amount.used).toBeLessThanOrEqual(amount.limit);
            if (count !== null) expect(count.used).toBeLessThanOrEqual(count.limit);
          }
      }
    }),
  );
});
