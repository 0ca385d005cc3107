import { describe, expect, test } from 'vitest';
import { contentErrors, LIMITS_MAX, LIST_MAX } from '../../../src/cards/controls/content-errors.ts';
import { allowedOnControls, type ControlsEnforced, putInForce } from '../../../src/cards/controls/controls.ts';
import { isFor, type LimitFilter } from '../../../src/cards/controls/controls-content.ts';
import { allowedOnToken, CARD_TOKEN_TRANSITIONS, TOKEN_STEPS } from '../../../src/cards/tokens/card-token.ts';
import { countersFor } from '../../support/controls.ts';
import { contentOf, factsOf, limitOf } from './decision-values.ts';

const many = (count: number) => Array.from({ length: count }, (_, place) => `M${place}`);

test.each([
  [{ limits: [limitOf({ amount: 1n })] }, []],
  [{ limits: Array(LIMITS_MAX).fill(limitOf({ amount: 1n })) }, []],
  [{ limits: Array(LIMITS_MAX + 1).fill(limitOf({ amount: 1n })) }, ['/limits']],
  [{ limits: [limitOf({})] }, ['/limits/0']],
  [{ limits: [limitOf({ amount: -1n })] }, ['/limits/0/amount']],
  [{ limits: [limitOf({ count: -1n })] }, ['/limits/0/count']],
  [{ limits: [limitOf({ amount: 0n, count: 0n })] }, []],
  [{ limits: [limitOf({ window: 'authorization', amount: 1n })] }, []],
  [{ limits: [limitOf({ window: 'authorization', count: 1n })] }, ['/limits/0/count']],
  [{ limits: [limitOf({ window: 'all_time', amount: 1n, netOfRefunds: true })] }, []],
  [{ limits: [limitOf({ window: 'year', amount: 1n, netOfRefunds: true })] }, ['/limits/0/net_of_refunds']],
  [{ limits: [limitOf({ window: 'all_time', count: 1n, netOfRefunds: true })] }, ['/limits/0/net_of_refunds']],
  [{ limits: [limitOf({ amount: 1n, for: {} })] }, ['/limits/0/for']],
  [{ limits: [limitOf({ amount: 1n, for: { kinds: [] } })] }, ['/limits/0/for/kinds']],
  [{ limits: [limitOf({ amount: 1n, for: { kinds: ['refund' as never] } })] }, ['/limits/0/for/kinds/0']],
  [{ limits: [limitOf({ amount: 1n, for: { mccs: ['5411', '9998'] } })] }, ['/limits/0/for/mccs/1']],
  [{ limits: [limitOf({ amount: 1n, for: { countries: ['XZ'] } })] }, ['/limits/0/for/countries/0']],
  [{ mcc: { allow: ['5411', '3501-3999'] } }, []],
  [{ mcc: { block: ['3999-3501'] } }, ['/mcc/block/0']],
  [{ mcc: { block: ['541'] } }, ['/mcc/block/0']],
  [{ mcc: { block: ['9960-9999'] } }, ['/mcc/block/0']],
  [{ mcc: { allow: ['5411'], block: ['5812'] } }, ['/mcc']],
  [{ countries: { allow: ['US'], block: ['RU'] } }, ['/countries']],
  [{ countries: { allow: ['UK', 'GB'] } }, ['/countries/allow/0']],
  [{ countries: {} }, ['/countries']],
  [{ merchants: { allow: many(LIST_MAX) } }, []],
  [{ merchants: { allow: many(LIST_MAX + 1) } }, ['/merchants/allow']],
  [{ merchants: { allow: [], block: [] } }, ['/merchants']],
  [{ entryModes: { allow: [] } }, ['/entry_modes/allow']],
  [{ requireThreeDSecureAbove: 0n }, []],
  [{ requireThreeDSecureAbove: -1n }, ['/require_three_d_secure_above']],
])('controls %# have errors at their members', (content, params) => {
  expect(contentErrors(contentOf(content)).map(({ param }) => param)).toEqual(params);
  expect(contentErrors(contentOf(content), '/controls').map(({ param }) => param)).toEqual(
    params.map((param) => `/controls${param}`),
  );
});

describe('a limit is for purchases that fit each member of its filter', () => {
  test.each<[LimitFilter | null, boolean]>([
    [null, true],
    [{ kinds: ['purchase'] }, true],
    [{ kinds: ['cash', 'quasi_cash'] }, false],
    [{ mccs: ['5400-5499'] }, true],
    [{ mccs: ['5812'] }, false],
    [{ countries: ['JO', 'US'] }, true],
    [{ merchants: ['M2'] }, false],
    [{ entryModes: ['chip'] }, true],
    [{ kinds: ['purchase'], countries: ['JO'] }, false],
  ])('%j: %s', (filter, fits) => {
    expect(isFor({ for: filter }, factsOf())).toBe(fits);
  });

  test('what a purchase does not say fits none that asks for it', () => {
    expect(isFor({ for: { entryModes: ['chip'] } }, factsOf({ entryMode: null }))).toBe(false);
    expect(isFor({ for: null }, factsOf({ entryMode: null }))).toBe(true);
  });

  test('a counter of its own has each limit of a period with a filter that is for the purchase', () => {
    const filter = { kinds: ['purchase'] } as const;
    const limits = [
      limitOf({ amount: 1n }),
      limitOf({ amount: 1n, for: filter }),
      limitOf({ amount: 1n, for: filter, window: 'authorization' }),
      limitOf({ amount: 1n, for: { kinds: ['cash'] } }),
      limitOf({ count: 1n, for: filter, window: 'all_time' }),
    ];
    expect(countersFor({ limits }, factsOf())).toEqual([1, 4]);
  });
});

describe('versions', () => {
  const version = (ordinal: number, values: Partial<ControlsEnforced> = {}): ControlsEnforced => ({
    ...{ id: `v${ordinal}`, scope: 'card', subjectId: 'card-a', ordinal, status: 'draft' },
    ...{ content: contentOf({}), countedSince: null, countedBehind: null },
    ...values,
  });

  test.each`
    status       | actions
    ${'draft'}   | ${['shadow', 'activate', 'retire']}
    ${'shadow'}  | ${['activate', 'retire']}
    ${'active'}  | ${['retire']}
    ${'retired'} | ${[]}
  `('a $status version allows $actions', ({ status, actions }) => {
    expect(allowedOnControls({ status })).toEqual(actions);
  });

  test('a version takes the place of the one that is there, and counts from when it first did', () => {
    const inForce = { active: version(1, { status: 'active' }), shadow: version(2, { status: 'shadow' }) };
    expect(putInForce(version(3), 'shadow', { inForce, now: 500 })).toEqual({
      change: { status: 'shadow', countedSince: 500 },
      retires: inForce.shadow,
    });
    expect(putInForce(version(2, { countedSince: 400 }), 'active', { inForce, now: 500 })).toEqual({
      change: { status: 'active', countedSince: 400 },
      retires: inForce.active,
    });
    expect(putInForce(version(1), 'active', { inForce: { active: null, shadow: null }, now: 500 })).toMatchObject({
      retires: null,
    });
  });

  test.each(['shadow', 'active'] as const)('one that is older than the active one does not become %s', (status) => {
    const inForce = { active: version(2, { status: 'active' }), shadow: null };
    expect(putInForce(version(1), status, { inForce, now: 500 })).toBe('version_mismatch');
  });
});

test.each`
  status           | actions
  ${'requested'}   | ${['approve', 'verify', 'decline']}
  ${'active'}      | ${['suspend', 'deactivate']}
  ${'suspended'}   | ${['resume', 'deactivate']}
  ${'deactivated'} | ${[]}
`('a $status token allows $actions', ({ status, actions }) => {
  const from = status as keyof typeof CARD_TOKEN_TRANSITIONS;
  expect(allowedOnToken({ status: from })).toEqual(actions);
  for (const action of allowedOnToken({ status: from }))
    expect([from, ...CARD_TOKEN_TRANSITIONS[from]]).toContain(TOKEN_STEPS[action]);
});
