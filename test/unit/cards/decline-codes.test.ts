/** The table of decline codes (cards-scenarios.md): each alone, and each before those behind it. */
import { describe, expect, test } from 'vitest';
import { afterApproval } from '../../../src/cards/card/card-use.ts';
import type { ControlsContent } from '../../../src/cards/controls/controls-content.ts';
import { decide } from '../../../src/cards/decision/decide.ts';
import type { DecisionInput, DecisionRequest } from '../../../src/cards/decision/decision-input.ts';
import { DECLINE_CODES, DECLINES, type DeclineCode, networkCodeOf } from '../../../src/cards/decision/decline-codes.ts';
import {
  accountOf,
  cardOf,
  evaluated,
  factsOf,
  inputOf,
  limitOf,
  newPurchase,
  requestOf,
  scopesOf,
} from './decision-values.ts';

/** What makes a request of 1,000 fail with a code. Each changes other members than its neighbors, or more of the same. */
interface Fault {
  readonly card?: Partial<DecisionInput['card']>;
  readonly account?: Partial<DecisionInput['account']>;
  readonly request?: Partial<DecisionRequest>;
  readonly controls?: Partial<ControlsContent>;
  readonly input?: Partial<DecisionInput>;
}

const COUNTED_OUT = [limitOf({ window: 'day', count: 0n })];

const FAULTS: Readonly<Record<DeclineCode, Fault>> = {
  already_reversed: { input: { purchase: { ...newPurchase(), refusal: 'already_reversed' } } },
  authorization_closed: { input: { purchase: { ...newPurchase(), refusal: 'authorization_closed' } } },
  card_closed: { card: { status: 'closed' } },
  card_not_active: { card: { status: 'pending_activation' } },
  card_expired: { card: { expYear: 2026 } },
  card_frozen: { card: { status: 'frozen' } },
  token_not_active: { input: { token: { status: 'requested' } } },
  token_suspended: { input: { token: { status: 'suspended' } } },
  account_closed: { account: { status: 'closed' } },
  account_frozen: { account: { status: 'frozen' } },
  currency_not_supported: { request: { currency: 'EUR' } },
  expiry_mismatch: { request: { expiryResult: 'no_match' } },
  cvv_incorrect: { request: { cvvResult: 'no_match' } },
  pin_blocked: { card: { pinStatus: 'blocked' }, request: { pinResult: 'match' } },
  pin_incorrect: { request: { pinResult: 'no_match' } },
  entry_mode_blocked: { controls: { entryModes: { allow: ['chip'] } } },
  cash_blocked: { controls: { cash: 'block' }, request: { cashbackAmount: 1n } },
  country_blocked: { controls: { countries: { block: ['US'] } } },
  mcc_blocked: { controls: { mcc: { block: ['5000-5999'] } } },
  merchant_blocked: { controls: { merchants: { block: ['M1'] } } },
  three_d_secure_required: { controls: { requireThreeDSecureAbove: 999n } },
  limit_per_authorization: { controls: { limits: [limitOf({ window: 'authorization', amount: 999n })] } },
  limit_period: { controls: { limits: [limitOf({ window: 'year', amount: 999n, count: 0n })] } },
  velocity_count: { controls: { limits: COUNTED_OUT } },
  insufficient_funds: { account: { posted: 999n } },
  decision_declined: {
    input: { endpoint: { source: 'endpoint', decision: 'declined', declineCode: 'decision_declined' } },
  },
  decision_unavailable: { input: { endpoint: { source: 'default', decision: 'declined' } } },
  suspected_fraud: {
    input: { endpoint: { source: 'endpoint', decision: 'declined', declineCode: 'suspected_fraud' } },
  },
};

/** E-commerce, so that every rule applies. The faults that come first hold where two change the same. */
function decided(...codes: DeclineCode[]) {
  const faults = codes.map((code) => FAULTS[code]).reverse();
  const merged = <Part extends keyof Fault>(part: Part) => Object.assign({}, ...faults.map((fault) => fault[part]));
  const limits = faults.flatMap(({ controls }) => controls?.limits ?? []);
  return decide(
    inputOf({
      card: cardOf(merged('card')),
      account: accountOf(merged('account')),
      request: requestOf({ facts: factsOf({ entryMode: 'ecommerce' }), ...merged('request') }),
      scopes: scopesOf({ program: { active: evaluated({ ...merged('controls'), limits }) } }),
      ...merged('input'),
    }),
  );
}

test('a request without a fault is approved', () => {
  expect(decided()).toMatchObject({ decision: 'approved', approvedAmount: 1_000n, networkResponseCode: '00' });
});

test('the codes are those of the table, in its order', () => {
  const table = `already_reversed authorization_closed card_closed card_not_active card_expired card_frozen token_not_active
    token_suspended account_closed account_frozen currency_not_supported expiry_mismatch cvv_incorrect pin_blocked pin_incorrect
    entry_mode_blocked cash_blocked country_blocked mcc_blocked merchant_blocked three_d_secure_required
    limit_per_authorization limit_period velocity_count insufficient_funds decision_declined decision_unavailable suspected_fraud`;
  expect(DECLINE_CODES).toEqual(table.split(/\s+/));
});

test.each(DECLINE_CODES)('%s declines alone, with its rule', (code) => {
  const { declineCode, networkResponseCode, rules, approvedAmount, source } = decided(code);
  expect([declineCode, networkResponseCode, approvedAmount]).toEqual([code, DECLINES[code].networkCode, 0n]);
  const failed = rules.find(({ verdict }) => verdict === 'fail')!;
  expect([failed.rule, failed.code]).toEqual([DECLINES[code].rule, code]);
  expect(source).toBe(
    DECLINES[code].rule !== 'decision' ? 'rules' : code === 'decision_unavailable' ? 'default' : 'endpoint',
  );
});

/** A token pays with a card that waits to be activated. */
function canFailWith(code: DeclineCode, other: DeclineCode): boolean {
  return !(code === 'card_not_active' && DECLINES[other].rule === 'token_status');
}

describe('the first that fails decides', () => {
  test.each(DECLINE_CODES.slice(0, -1))('%s before all behind it', (code) => {
    const behind = DECLINE_CODES.slice(DECLINE_CODES.indexOf(code) + 1).filter((other) => canFailWith(code, other));
    for (const other of behind) expect([other, decided(code, other).declineCode]).toEqual([other, code]);
    const ofOtherRules = behind.filter((other) => DECLINES[other].rule !== DECLINES[code].rule);
    const { declineCode, rules } = decided(code, ...ofOtherRules);
    expect(declineCode).toBe(code);
    const failed = rules.filter(({ verdict }) => verdict === 'fail').map(({ rule }) => rule);
    expect(new Set(failed)).toEqual(new Set([code, ...ofOtherRules].map((one) => DECLINES[one].rule)));
  });
});

test.each`
  code               | closedReason   | networkCode
  ${'card_closed'}   | ${'lost'}      | ${'41'}
  ${'card_closed'}   | ${'stolen'}    | ${'43'}
  ${'card_closed'}   | ${'damaged'}   | ${'46'}
  ${'card_closed'}   | ${'requested'} | ${'46'}
  ${'card_closed'}   | ${'used'}      | ${'46'}
  ${'card_closed'}   | ${null}        | ${'46'}
  ${'cvv_incorrect'} | ${'lost'}      | ${'N7'}
`('$code of a card closed as $closedReason is $networkCode', ({ code, closedReason, networkCode }) => {
  expect(networkCodeOf(code, closedReason)).toBe(networkCode);
});

test('91 is never answered: networks would stand in', () => {
  expect(Object.values(DECLINES).map(({ networkCode }) => networkCode)).not.toContain('91');
});

describe('credits are declined for closed cards and accounts alone, and in a currency that cannot be booked', () => {
  const ALWAYS: readonly DeclineCode[] = [
    'already_reversed',
    'authorization_closed',
    'card_closed',
    'account_closed',
    'currency_not_supported',
  ];

  test.each(DECLINE_CODES)('%s', (code) => {
    for (const kind of ['refund', 'transfer_in'] as const) {
      const fault = FAULTS[code];
      const { declineCode } = decide(
        inputOf({
          card: cardOf(fault.card),
          account: accountOf(fault.account),
          request: requestOf({ ...fault.request, facts: factsOf({ kind }) }),
          scopes: scopesOf({ card: { active: evaluated(fault.controls ?? {}) } }),
          ...fault.input,
          endpoint: null,
        }),
      );
      expect(declineCode).toBe(ALWAYS.includes(code) ? code : null);
    }
  });
});

test('an address that does not match, and what was not checked, declines nothing', () => {
  const unchecked = { cvvResult: 'not_checked', pinResult: 'not_checked', expiryResult: 'not_checked' } as const;
  expect(decide(inputOf({ request: requestOf(unchecked) })).decision).toBe('approved');
});

test('a currency that the program has given up is declined with its cards', () => {
  const { declineCode, rules } = decide(inputOf({ program: { ...inputOf().program, currencies: ['EUR'] } }));
  expect(declineCode).toBe('currency_not_supported');
  expect(rules.find(({ verdict }) => verdict === 'fail')!.scope).toBe('program');
});

test('a merchant-locked card shows its lock as a rule', () => {
  const card = cardOf({ type: 'merchant_locked' });
  const lock = afterApproval(card, { amount: 1n, facts: factsOf() });
  const rules = decide(inputOf({ card: { ...card, ...lock } })).rules.map(({ rule, scope }) => `${rule} ${scope}`);
  expect(rules).toContain('merchant card');
});
