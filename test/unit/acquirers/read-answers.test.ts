/** A gateway's answer is read member by member: what does not fit docs/partners.md says nothing (src/acquirers/http). */
import { describe, expect, test } from 'vitest';
import {
  readAnswer,
  readCard,
  readInquiry,
  readToken,
  readVerified,
} from '../../../src/acquirers/http/read-answers.ts';
import { readNotice } from '../../../src/acquirers/http/read-notice.ts';
import { NotOfContract, readObject } from '../../../src/outside/gateway/fields.ts';
import { newId, publicId } from '../../../src/values/ids.ts';
import { toJson } from '../../../src/values/json.ts';

const asked = { originator: '019ac1d4-0000-7000-8000-000000000001', reference: 'CHREFERENCE0' };
const reading = { now: Date.UTC(2026, 0, 1), mayBePlain: false };
const merchant = publicId('book', asked.originator);
const succeeded = {
  merchant,
  reference: asked.reference,
  status: 'succeeded',
  amount: 20_000,
  currency: 'JOD',
  acquirer_reference: 'A1',
  network_code: '00',
};
const challenge = { url: 'https://gateway.example/pages/1', expires_at: '2026-01-01T00:15:00Z' };
const asText = (value: object) => readObject(toJson(value));
const read = (change: object = {}, more: object = {}) =>
  readAnswer(asText({ ...succeeded, ...change }), asked, { ...reading, ...more });

describe('an answer', () => {
  test('has what is confirmed, the facts, and evidence of both', () => {
    const facts = { code: 'A1B2C3', network: 'visa', network_reference: 'NW1', avs: 'match', cvc: null, eci: '05' };
    expect(read({ authorization: { ...facts, three_d_secure: 'authenticated' }, unknown: { deep: [1] } })).toEqual({
      status: 'succeeded',
      endToEndId: asked.reference,
      reference: 'A1',
      networkCode: '00',
      confirmed: { amount: 20_000n, currency: 'JOD' },
      authorization: {
        ...{ code: 'A1B2C3', network: 'visa', networkReference: 'NW1', avs: 'match', cvc: null, eci: '05' },
        threeDSecure: 'authenticated',
      },
      raw: {
        ...{
          reference: asked.reference,
          acquirer_reference: 'A1',
          status: 'succeeded',
          code: null,
          network_code: '00',
        },
        ...{ amount: '20000', currency: 'JOD' },
      },
    });
  });

  test('keeps all digits of an amount', () => {
    const text = toJson({ ...succeeded, amount: 9_223_372_036_854_775_807n });
    expect(readAnswer(readObject(text), asked, reading).confirmed?.amount).toBe(9_223_372_036_854_775_807n);
  });

  test('that leaves out what it did confirms nothing: a success of it is a mismatch', () => {
    expect(read({ amount: undefined, currency: null }).confirmed).toEqual({});
  });

  test('declines by a code of ours, or of nobody', () => {
    expect(read({ status: 'declined', code: 'lost_card' }).code).toBe('lost_card');
    expect(read({ status: 'declined', code: 'moon_phase' })).toMatchObject({
      code: 'generic_decline',
      raw: { code: 'moon_phase' },
    });
  });

  const waits = { status: 'requires_action', challenge };
  test('leads to a page by https, or by http where the gateway is reached so', () => {
    expect(read(waits).challenge).toEqual({ url: challenge.url, expiresAt: Date.UTC(2026, 0, 1, 0, 15) });
    const plain = { ...waits, challenge: { ...challenge, url: 'http://127.0.0.1:9/1' } };
    expect(() => read(plain)).toThrow(NotOfContract);
    expect(read(plain, { mayBePlain: true }).challenge?.url).toBe('http://127.0.0.1:9/1');
    const quoted = { ...waits, challenge: { ...challenge, url: 'https://gateway.example/"><b>' } };
    expect(read(quoted).challenge?.url).toBe('https://gateway.example/"><b>');
  });

  test.each([
    'https://gateway.example/acs/4242424242424242',
    'HTTPS://Gateway.example:443/a/../b/%2e%2e/c',
    "https://gateway.example?x='1'|{}#4242-4242-4242-4242",
  ])('leads the payer to %s as it is', (url) => {
    expect(read({ ...waits, challenge: { ...challenge, url } }).challenge?.url).toBe(url);
  });

  test.each(['https:gateway.example', 'https:/\\gateway.example/', 'https://gateway.example\\@b.example/', 'https://'])(
    'does not lead to %s',
    (url) => {
      expect(() => read({ ...waits, challenge: { ...challenge, url } })).toThrow('url is not an https URL');
    },
  );

  test.each<[string, object, string]>([
    ['an approval code that is too long', { code: 'A1B2C3D' }, 'code'],
    ['a network of two words', { network: 'two words' }, 'network'],
    ['a network reference that is a number', { network_reference: 55_120 }, 'networkReference'],
    ['an address check that nobody knows', { avs: 'maybe' }, 'avs'],
    ['a code check that is a list', { cvc: ['match'] }, 'cvc'],
    ['an eci of three characters', { eci: '005' }, 'eci'],
    ['an authentication that nobody knows', { three_d_secure: 'Y' }, 'threeDSecure'],
  ])('with %s has its outcome all the same, and every other fact', (_, change, fact) => {
    const facts = { code: 'A1B2C3', network: 'visa', network_reference: 'NW1', avs: 'match', cvc: 'match', eci: '05' };
    const whole = { ...facts, three_d_secure: 'authenticated' };
    const { authorization, ...answer } = read({ authorization: { ...whole, ...change } });
    expect(authorization).toEqual({ ...read({ authorization: whole }).authorization, [fact]: null });
    expect(answer).toMatchObject({ status: 'succeeded', confirmed: { amount: 20_000n, currency: 'JOD' } });
  });

  test('with facts that are no object, or a network code that is too long, is one without them', () => {
    expect(read({ authorization: ['visa'] })).toEqual(read());
    const answer = read({ network_code: 'APPROVED0' });
    expect(answer).not.toHaveProperty('networkCode');
    expect(answer).toMatchObject({ status: 'succeeded', raw: { network_code: null } });
  });

  test.each<[string, object]>([
    ['another reference', { reference: 'CHANOTHER0' }],
    ['another merchant', { merchant: publicId('book', newId()) }],
    ['no merchant', { merchant: undefined }],
    ['no reference', { reference: undefined }],
    ['an unknown status', { status: 'approved' }],
    ['no status', { status: null }],
    ['an amount in a text', { amount: '20000' }],
    ['a fraction', { amount: 200.5 }],
    ['a negative amount', { amount: -1 }],
    ['an amount beyond the largest', { amount: 9_223_372_036_854_775_808n }],
    ['a currency of four letters', { currency: 'JODX' }],
    ['a currency in small letters', { currency: 'jod' }],
    ['a reference that is too long', { acquirer_reference: 'A'.repeat(65) }],
    ['a reference of two lines', { acquirer_reference: 'A\nB' }],
    ['a reference that is a number', { acquirer_reference: 4_242 }],
    ['a decline without a code', { status: 'declined' }],
    ['a page by a script', { status: 'requires_action', challenge: { ...challenge, url: 'javascript:alert(1)' } }],
    ['a page without an end', { status: 'requires_action', challenge: { url: challenge.url } }],
    [
      'a page that ends in a year',
      { status: 'requires_action', challenge: { ...challenge, expires_at: '2027-01-01T00:00:00Z' } },
    ],
    ['a moment in words', { status: 'requires_action', challenge: { ...challenge, expires_at: 'tomorrow' } }],
  ])('with %s is none', (_, change) => {
    expect(() => read(change)).toThrow(NotOfContract);
  });

  test.each(['', '[]', '"succeeded"', 'null', '{"status":', `${'['.repeat(50_000)}`, '9007199254740993'])(
    'that is no JSON object is none (%#)',
    (text) => {
      expect(() => readObject(text)).toThrow(NotOfContract);
    },
  );

  test('of an inquiry may be that nothing was found, by the clock of the gateway', () => {
    const nothing = { merchant, reference: asked.reference, status: 'not_found', as_of: '2026-01-01T00:00:00.250Z' };
    expect(readInquiry(asText(nothing), asked, reading)).toMatchObject({ asOf: Date.UTC(2026, 0, 1) + 250 });
    expect(readInquiry(asText({ ...nothing, as_of: null }), asked, reading)).not.toHaveProperty('asOf');
    const other = asText({ ...nothing, reference: 'CHANOTHER0' });
    expect(() => readInquiry(other, asked, reading)).toThrow(NotOfContract);
  });
});

describe('a card', () => {
  const card = { brand: 'visa', last_four: '4242', exp_month: 12, exp_year: 2034, funding: 'credit', country: null };

  test('is shown by what may be known of it', () => {
    expect(readCard(asText({ card }))).toEqual({
      ...{ brand: 'visa', lastFour: '4242', expMonth: 12, expYear: 2034, funding: 'credit', country: null },
    });
    expect(readToken(asText({ token: 'tok_1' }))).toBe('tok_1');
    const declined = { status: 'declined', code: 'expired_card', network_code: '54' };
    expect(readVerified(asText(declined))).toMatchObject({ code: 'expired_card', cvc: null, networkReference: null });
  });

  test.each<[string, object]>([
    ['a whole number', { last_four: '4242424242424242' }],
    ['letters', { last_four: '42x2' }],
    ['a thirteenth month', { exp_month: 13 }],
    ['two digits of a year', { exp_year: 34 }],
    ['a brand of its own', { brand: 'moon' }],
    ['a country of three letters', { country: 'JOR' }],
  ])('with %s is none', (_, change) => {
    expect(() => readCard(asText({ card: { ...card, ...change } }))).toThrow(NotOfContract);
  });
});

describe('a notice', () => {
  const told = {
    merchant,
    reference: asked.reference,
    kind: 'dispute_chargeback',
    amount: 5_000,
    code: 'fraudulent',
    acquirer_reference: 'D1',
    confirmed: { amount: 20_000, currency: 'JOD' },
    created_at: '2026-01-01T00:00:00Z',
  };
  const kept = (body: string) => ({ id: newId(), body, receivedAt: 7 });

  test('is read as it was meant', () => {
    expect(readNotice(kept(toJson(told)))).toMatchObject({
      ...{ originator: asked.originator, endToEndId: asked.reference, kind: 'dispute_chargeback', amount: 5_000n },
      ...{ code: 'fraudulent', reference: 'D1', confirmed: { amount: 20_000n, currency: 'JOD' } },
      createdAt: Date.UTC(2026, 0, 1),
    });
    expect(readNotice(kept(toJson({ ...told, created_at: undefined })))).toMatchObject({ createdAt: 7, dated: false });
  });

  test.each<[string, string, string]>([
    ['no JSON', 'no JSON', ''],
    ['no reference', toJson({ ...told, reference: undefined }), asked.originator],
    ['an amount in a text', toJson({ ...told, amount: '5000' }), asked.originator],
    ['a dispute without an amount', toJson({ ...told, amount: null }), asked.originator],
    ['a dispute of nothing', toJson({ ...told, amount: 0 }), asked.originator],
    ['a dispute without its reference', toJson({ ...told, acquirer_reference: null }), asked.originator],
    ['a merchant that is a number', toJson({ ...told, merchant: 7 }), ''],
    ['a merchant that is no book', toJson({ ...told, merchant: 'shop', amount: '1' }), 'shop'],
  ])('with %s is passed on as unreadable, to whom it names', (_, body, originator) => {
    expect(readNotice(kept(body))).toMatchObject({ kind: 'unreadable', originator, amount: null, createdAt: 7 });
  });
});
