import { issueApiKey } from '../../../../scripts/harness/issue-api-key.ts';
import { createSecretBox } from '../../../../src/db/secret-box.ts';
import { EVERY_SCOPE, MAKES_KEYS } from '../../../../src/organisations/api-key.ts';
import { createApiKey } from '../../../../src/organisations/change-api-key.ts';
import { findOrganisationOfBook } from '../../../../src/organisations/organisation-store.ts';
import { systemClock } from '../../../../src/values/clock.ts';
import { newId } from '../../../../src/values/ids.ts';
import type { TestBook } from '../../../support/book.ts';
import { addPersonOf } from '../../../support/people.ts';
import type { GroupOnWire, Stage } from './group.ts';

interface Key {
  id: string;
  secret: string;
}

const YEAR_MS = 365 * 86_400_000;

const BODY = { name: 'Reports', scopes: ['accounts:read', 'payouts:read'] };

async function apiKeys({ product, keys, wire }: Stage): Promise<void> {
  const { pool } = product.runtime;
  const scopes = [EVERY_SCOPE, MAKES_KEYS];
  const maker = await issueApiKey(pool, systemClock, { bookId: keys.testBookId, mode: 'test', name: 'Keys', scopes });
  const person = await addPersonOf(pool, keys.testBookId, { name: 'Ada', scopes: ['payouts:approve'] });
  const key = maker.token;

  const made = await wire.call<Key>('A key', 'POST', '/v1/api_keys', { key, body: BODY, idempotencyKey: 'lost' });
  await wire.call('Its answer again', 'POST', '/v1/api_keys', { key, body: BODY, idempotencyKey: 'lost' });
  await wire.call('For a person', 'POST', '/v1/api_keys', {
    key,
    body: {
      name: 'At home',
      person: person.id,
      scopes: ['*'],
      expires_at: new Date(Date.now() + YEAR_MS).toISOString(),
    },
  });
  await wire.call('No key that approves', 'POST', '/v1/api_keys', {
    key,
    body: { ...BODY, person: person.id, scopes: ['payouts:approve'] },
  });
  await wire.call('Nor by a key that makes none', 'POST', '/v1/api_keys', { body: BODY });
  await wire.call('For nobody', 'POST', '/v1/api_keys', {
    key,
    body: { ...BODY, person: 'person_01h455vb4pex5vsknk084sn02q' },
  });
  await wire.call('As it is', 'GET', `/v1/api_keys/${made.id}`);
  const next = await wire.call<Key>('It rolls itself', 'POST', `/v1/api_keys/${made.id}/roll`, {
    key: made.secret,
    body: { overlap_seconds: 0 },
  });
  await wire.call('It has ended', 'POST', `/v1/api_keys/${made.id}/roll`, { key });
  await wire.call('Its successor is revoked', 'POST', `/v1/api_keys/${next.id}/revoke`, { key });
  await wire.call('Revoked already', 'POST', `/v1/api_keys/${next.id}/revoke`, { key });
  await wire.call('All', 'GET', '/v1/api_keys?limit=2');
  await wire.call('Who may own keys', 'GET', '/v1/people?limit=2');
}

export const organisationsOnWire: GroupOnWire = {
  scenes: [{ file: 'api-keys', play: apiKeys }],
  forms: [
    {
      kind: 'secret key',
      form: /sk_test_[0-9A-Za-z]{32}/g,
      example: (digest) => `sk_test_${digest.toString('hex').slice(0, 32)}`,
    },
    { kind: 'last four', form: /(?<=sk_test_…)[0-9A-Za-z]{4}/g, numbered: false, example: () => '7Xq2' },
  ],
  async objects({ product, keys }) {
    const maker = await product.clientWith({
      bookId: keys.testBookId,
      mode: 'test',
      scopes: [EVERY_SCOPE, MAKES_KEYS],
    });
    const { body } = await maker.post<Key>('/v1/api_keys', BODY);
    return { apiKey: body.id };
  },
  rows: madeByCommand,
};

async function madeByCommand(book: TestBook): Promise<void> {
  const maker = await issueApiKey(book.pool, systemClock, {
    bookId: book.id,
    mode: 'test',
    name: 'Keys',
    scopes: [EVERY_SCOPE, MAKES_KEYS],
  });
  const organisationId = (await findOrganisationOfBook(book.pool, book.id))!;
  await book.submit(
    createApiKey({
      ...{ requestId: newId(), actor: 'test', bookId: book.id, organisationId, mode: 'test' },
      giver: { keyId: maker.key.id, rates: { writesPerSecond: 100, readsPerSecond: 400 } },
      idempotencyKey: null,
      secretBox: createSecretBox(Buffer.alloc(32, 7).toString('base64')),
      name: 'Reports',
      scopes: ['accounts:read'],
    }),
  );
}
