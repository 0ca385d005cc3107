/** What an endpoint's owner chooses of its requests: headers and signatures, sealed at rest. */
import { createPublicKey, verify as verifySignature } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SecretBoxError } from '../../../src/db/secret-box.ts';
import { createSigningKey, verify } from '../../../src/values/standard-webhooks.ts';
import { updateEndpoint } from '../../../src/webhooks/actions/manage-endpoint.ts';
import {
  headerNameFault,
  headersPlace,
  headerValueFault,
  maskedHeaders,
} from '../../../src/webhooks/endpoints/endpoint-headers.ts';
import { changeOfOptions, NO_OPTIONS } from '../../../src/webhooks/endpoints/endpoint-options.ts';
import { change, setStage } from './stage.ts';
import { allow, bodyOf, START } from './world.ts';

const stage = setStage();
const TOKEN = 'Bearer 5f2c4e1a9b7d4c3e';
/** The head of an Ed25519 public key in SPKI form (RFC 8410). */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

describe('custom headers', () => {
  test('are sent with each delivery, beside our own', async () => {
    const hooks = await stage.receiver();
    const { id } = await stage.world.endpoint(stage.bookId, {
      url: hooks.url,
      headers: { Authorization: TOKEN, 'X-Gateway': 'one two' },
    });
    const posting = stage.deliverer();
    await posting.deliver(stage.bookId, await stage.world.emit(stage.bookId, 'payout.paid'));
    expect(hooks.received[0]!.headers).toMatchObject({
      authorization: TOKEN,
      'x-gateway': 'one two',
      'content-type': 'application/json',
    });
    expect(hooks.received[0]!.headers['webhook-signature']).toMatch(/^v1,/);

    const { bookId } = stage;
    const { secretBox } = stage.world;
    const changeOptions = changeOfOptions({ headers: {} }, { bookId, endpointId: id, secretBox });
    const answer = await stage.world.submit(bookId, updateEndpoint({ ...change(id), allow, changeOptions }));
    expect(bodyOf(answer)).toMatchObject({ headers: {} });
    await posting.deliver(bookId, await stage.world.emit(bookId, 'payout.paid'));
    expect(hooks.received[1]!.headers.authorization).toBeUndefined();
  });

  test('are sealed for their row, and shown with masked values', async () => {
    const { id } = await stage.world.endpoint(stage.bookId, { headers: { Authorization: TOKEN } });
    const { rows } = await stage.world.pool.query<{ headers: unknown; sealed: Buffer }>(
      'SELECT headers, headers_sealed AS sealed FROM webhook_endpoints WHERE id = $1',
      [id],
    );
    expect(rows[0]!.headers).toEqual({ Authorization: '****4c3e' });
    const { secretBox } = stage.world;
    expect(JSON.parse(secretBox.open(rows[0]!.sealed, headersPlace(stage.bookId, id)))).toEqual({
      Authorization: TOKEN,
    });
    expect(() => secretBox.open(rows[0]!.sealed, headersPlace(stage.world.testBook, id))).toThrow(SecretBoxError);
  });

  test('that are short show none of their characters', () => {
    expect(maskedHeaders({ 'X-Key': 'short' })).toEqual({ 'X-Key': '****' });
  });

  test.each`
    name                   | refused
    ${'Authorization'}     | ${false}
    ${'x-api-key'}         | ${false}
    ${'Host'}              | ${true}
    ${'content-length'}    | ${true}
    ${'Transfer-Encoding'} | ${true}
    ${'Webhook-Signature'} | ${true}
    ${'x key'}             | ${true}
    ${''}                  | ${true}
  `('named $name: refused $refused', ({ name, refused }) => {
    expect(headerNameFault(name) !== undefined).toBe(refused);
  });

  test.each(['a\r\nHost: b', ' a', 'a ', 'é', '', 'x'.repeat(1_001)])('may not be %j', (value) => {
    expect(headerValueFault(value)).toBeDefined();
  });
});

describe('signatures', () => {
  test('v1a is Ed25519, and holds under the public key that is shown', async () => {
    const hooks = await stage.receiver();
    const { id, secret } = await stage.world.endpoint(stage.bookId, { url: hooks.url, signatures: ['v1', 'v1a'] });
    const posting = stage.deliverer();
    await posting.deliver(stage.bookId, await stage.world.emit(stage.bookId, 'payout.paid'));
    const { headers, body } = hooks.received[0]!;
    expect(verify({ headers, body }, [createSigningKey(secret)], START / 1_000)).toBeUndefined();
    const { rows } = await stage.world.pool.query<{ key: string }>(
      'SELECT public_key AS key FROM webhook_endpoints WHERE id = $1',
      [id],
    );
    const [, base64] = rows[0]!.key.split('whpk_');
    const der = Buffer.concat([SPKI_HEAD, Buffer.from(base64!, 'base64')]);
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    const signature = String(headers['webhook-signature']).split(' v1a,')[1]!;
    const signed = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
    expect(verifySignature(null, signed, key, Buffer.from(signature, 'base64'))).toBe(true);
    expect(verifySignature(null, Buffer.from('another'), key, Buffer.from(signature, 'base64'))).toBe(false);
  });

  test('without v1a the key pair ends, and with it again it is another', () => {
    const { secretBox } = stage.world;
    const place = { bookId: stage.bookId, endpointId: stage.bookId, secretBox };
    const first = { ...NO_OPTIONS, ...changeOfOptions({ signatures: ['v1a'] }, place)(NO_OPTIONS) };
    const kept = { ...first, ...changeOfOptions({ signatures: ['v1', 'v1a'] }, place)(first) };
    const ended = { ...kept, ...changeOfOptions({ signatures: ['v1'] }, place)(kept) };
    const again = { ...ended, ...changeOfOptions({ signatures: ['v1a'] }, place)(ended) };
    expect(kept.publicKey).toBe(first.publicKey);
    expect(ended).toMatchObject({ publicKey: null, signingKeySealed: null });
    expect(again.publicKey).not.toBe(first.publicKey);
  });
});
