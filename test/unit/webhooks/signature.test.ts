import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test, vi } from 'vitest';
import { createSecretBox } from '../../../src/db/secret-box.ts';
import { newId } from '../../../src/values/ids.ts';
import { createSigningKey, newSecret, sign, verify } from '../../../src/values/standard-webhooks.ts';
import { previousSecretPlace, secretPlace } from '../../../src/webhooks/endpoints/endpoint-secret.ts';
import { SigningKeys } from '../../../src/webhooks/sending/signing-keys.ts';

const body = '{"id":"evt_1","data":{"text":"zwölf € 🏦"}}';
const nowSeconds = Math.floor(Date.now() / 1_000);

function signed(secrets: string[], timestampSeconds = nowSeconds) {
  const message = { id: 'evt_1', timestampSeconds, body };
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': sign(message, secrets.map(createSigningKey)),
  };
}

describe('the independent verifier of Standard Webhooks', () => {
  test("accepts the product's signatures", () => {
    const secret = newSecret();
    expect(new Webhook(secret).verify(body, signed([secret]))).toEqual(JSON.parse(body));
  });

  test('accepts both secrets during a rotation', () => {
    const [before, after] = [newSecret(), newSecret()];
    const headers = signed([after, before]);
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
    for (const secret of [before, after]) expect(() => new Webhook(secret).verify(body, headers)).not.toThrow();
  });

  test('refuses another secret and another body', () => {
    const secret = newSecret();
    const headers = signed([secret]);
    expect(() => new Webhook(newSecret()).verify(body, headers)).toThrow('No matching signature');
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow('No matching signature');
  });

  test('makes signatures that the product accepts', () => {
    const secret = newSecret();
    const signature = new Webhook(secret).sign('evt_1', new Date(nowSeconds * 1_000), body);
    const headers = { ...signed([secret]), 'webhook-signature': signature };
    expect(verify({ headers, body }, [createSigningKey(secret)], nowSeconds)).toBeUndefined();
  });
});

describe("the product's own verification", () => {
  const secret = newSecret();
  const key = createSigningKey(secret);
  const headers = signed([secret]);

  test.each`
    what                            | change                                                                         | fault
    ${'an id that was changed'}     | ${{ 'webhook-id': 'evt_2' }}                                                   | ${'no signature holds'}
    ${'a missing id'}               | ${{ 'webhook-id': undefined }}                                                 | ${'a webhook- header is missing'}
    ${'a missing signature'}        | ${{ 'webhook-signature': undefined }}                                          | ${'a webhook- header is missing'}
    ${'an empty signature'}         | ${{ 'webhook-signature': '' }}                                                 | ${'no signature holds'}
    ${'another version'}            | ${{ 'webhook-signature': headers['webhook-signature'].replace('v1,', 'v2,') }} | ${'no signature holds'}
    ${'a timestamp of an hour ago'} | ${signed([secret], nowSeconds - 3_600)}                                        | ${'the timestamp is too far from our clock'}
    ${'a timestamp that is none'}   | ${{ 'webhook-timestamp': 'now' }}                                              | ${'the timestamp is too far from our clock'}
  `('refuses $what', ({ change, fault }) => {
    expect(verify({ headers: { ...headers, ...change }, body }, [key], nowSeconds)).toBe(fault);
  });

  test('accepts one valid signature among several', () => {
    const several = { ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']} v1a,xyz` };
    expect(verify({ headers: several, body }, [createSigningKey(newSecret()), key], nowSeconds)).toBeUndefined();
  });
});

describe('a secret', () => {
  test.each`
    what                    | secret
    ${'23 bytes'}           | ${`whsec_${randomBytes(23).toString('base64')}`}
    ${'65 bytes'}           | ${`whsec_${randomBytes(65).toString('base64')}`}
    ${'no prefix'}          | ${randomBytes(32).toString('base64')}
    ${'what is not base64'} | ${`whsec_${'!'.repeat(40)}`}
    ${'nothing'}            | ${''}
  `('of $what is refused', ({ secret }) => {
    expect(() => createSigningKey(secret)).toThrow(RangeError);
  });

  test.each([24, 32, 64])('of %i bytes is accepted', (bytes) => {
    expect(createSigningKey(`whsec_${randomBytes(bytes).toString('base64')}`).symmetricKeySize).toBe(bytes);
  });

  test('is new each time', () => {
    expect(newSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(newSecret()).not.toBe(newSecret());
  });
});

describe('the signing keys', () => {
  const box = createSecretBox(randomBytes(32).toString('base64'));
  const [before, after] = [newSecret(), newSecret()];
  const [bookId, id] = [newId(), newId()];
  const secrets = {
    ...{ bookId, id },
    secretSealed: box.seal(after, secretPlace(bookId, id)),
    previousSecretSealed: box.seal(before, previousSecretPlace(bookId, id)),
    previousSecretUntil: 1_000,
  };
  const raw = (secret: string) => createSigningKey(secret).export().toString('hex');

  test.each`
    now      | signing
    ${999}   | ${[after, before]}
    ${1_000} | ${[after]}
  `('at $now are those whose time has not ended', ({ now, signing }) => {
    const keys = new SigningKeys(box).of(secrets, now);
    expect(keys.map((key) => key.export().toString('hex'))).toEqual(signing.map(raw));
  });

  test('are opened once', () => {
    const open = vi.spyOn(box, 'open');
    const counting = new SigningKeys(box);
    for (let times = 0; times < 3; times++) counting.of(secrets, 0);
    expect(open).toHaveBeenCalledTimes(2);
  });

  test('are refused for an endpoint without a secret, or with one sealed under an unknown key', () => {
    const nothing = { bookId, id, secretSealed: null, previousSecretSealed: null, previousSecretUntil: null };
    expect(() => new SigningKeys(box).of(nothing, 0)).toThrow('no secret');
    const stranger = createSecretBox(randomBytes(32).toString('base64'));
    expect(() => new SigningKeys(stranger).of(secrets, 0)).toThrow('No encryption key with id');
  });
});
