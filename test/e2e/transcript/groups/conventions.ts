import type { GroupOnWire, Stage } from './group.ts';

/** Keys, limits, and what no route answers. */
async function conventions({ keys, openAccount, product, wire }: Stage): Promise<void> {
  await openAccount();
  await wire.call('A key that was used', 'GET', '/v1/idempotency_keys/key-1');
  await wire.call('Asked for by query', 'GET', '/v1/idempotency_keys?key=key-1');
  await wire.call('A key that was not', 'GET', '/v1/idempotency_keys/key-7');
  await wire.call('Voided', 'POST', '/v1/idempotency_keys/key-7/void', { idempotencyKey: null });
  await wire.call('Used after that', 'POST', '/v1/accounts', {
    body: { currency: 'JOD', name: 'Late' },
    idempotencyKey: 'key-7',
  });
  await wire.call('One that was used is not voided', 'POST', '/v1/idempotency_keys/key-1/void', {
    idempotencyKey: null,
  });
  const limited = {
    bookId: keys.testBookId,
    mode: 'test',
    scopes: ['*'],
    writesPerSecond: 100,
    readsPerSecond: 400,
  } as const;
  await wire.call('Limits', 'GET', '/v1/limits', { key: (await product.clientWith(limited)).key });
  await wire.call('No key', 'GET', '/v1/accounts', { key: null });
  await wire.call('A wrong key', 'GET', '/v1/accounts', { key: 'sk_test_wrong' });
  await wire.call('No route', 'GET', '/v1/nothing');
  await wire.call('No such method', 'DELETE', '/v1/accounts');
  await wire.call('Not JSON', 'POST', '/v1/accounts', { rawBody: 'name=x', headers: { 'content-type': 'text/plain' } });
  await wire.call('In a live book', 'POST', '/v1/simulations/inbound_transfers', {
    key: keys.liveKey,
    body: { account: 'acct_00000000000000000000000000', amount: 1, currency: 'JOD' },
  });
}

export const conventionsOnWire: GroupOnWire = { scenes: [{ file: 'conventions', play: conventions }] };
