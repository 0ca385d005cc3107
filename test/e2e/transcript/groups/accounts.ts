import type { GroupOnWire, Page, Stage } from './group.ts';

async function accounts({ fund, openAccount, wire }: Stage): Promise<void> {
  const { id } = await openAccount({ external_id: 'main', metadata: { team: 'ops' }, overdraft_limit: 5_000 });
  const other = await openAccount({ name: 'Second', currency: 'EUR' });
  await fund(id);
  await wire.call('No such currency, no name, an unknown member', 'POST', '/v1/accounts', {
    body: { currency: 'XXY', surplus: 1, metadata: { a: 1 } },
  });
  await wire.call('A float', 'POST', '/v1/accounts', {
    body: { currency: 'JOD', name: 'Float', overdraft_limit: 1.5 },
  });
  await wire.call('Beyond the ceiling', 'POST', '/v1/accounts', {
    body: { currency: 'JOD', name: 'Too far', overdraft_limit: 9_000_000_000_000_000 },
  });
  await wire.call('As it is', 'GET', `/v1/accounts/${id}`);
  await wire.call('Not there', 'GET', `/v1/accounts/${id.slice(0, -4)}0000`);
  await wire.call('Not an id', 'GET', '/v1/accounts/acct_1');
  await wire.call('A new name', 'PATCH', `/v1/accounts/${id}`, { body: { name: 'Operating', metadata: {} } });
  await wire.call('A version that is over', 'PATCH', `/v1/accounts/${id}`, {
    body: { name: 'Late' },
    headers: { 'if-match': '"1"' },
  });
  await wire.call('Nothing to change', 'PATCH', `/v1/accounts/${id}`, { body: {} });
  await wire.call('Balance', 'GET', `/v1/accounts/${id}/balance`);
  await wire.call('Balance of before', 'GET', `/v1/accounts/${id}/balance?at=2026-01-01T00:00:00Z`);
  await wire.call('Balance at no time', 'GET', `/v1/accounts/${id}/balance?at=yesterday`);
  await fund(id, 5);
  const lines = await wire.call<Page>('One line', 'GET', `/v1/accounts/${id}/entries?limit=1`);
  await wire.call('The next', 'GET', `/v1/accounts/${id}/entries?limit=1&starting_after=${lines.next_cursor}`);
  await wire.call('And back', 'GET', `/v1/accounts/${id}/entries?limit=1&ending_before=1`);
  await wire.call('Timeline', 'GET', `/v1/accounts/${id}/timeline`);
  await wire.call('Frozen', 'POST', `/v1/accounts/${id}/freeze`);
  await wire.call('Frozen again', 'POST', `/v1/accounts/${id}/freeze`);
  await wire.call('Unfrozen', 'POST', `/v1/accounts/${id}/unfreeze`);
  await wire.call('Closed, with money in it', 'POST', `/v1/accounts/${id}/close`);
  await wire.call('Closed', 'POST', `/v1/accounts/${other.id}/close`);
  await wire.call('All', 'GET', '/v1/accounts');
  await wire.call('One', 'GET', '/v1/accounts?limit=1');
  await wire.call('Behind it', 'GET', `/v1/accounts?limit=1&starting_after=${other.id}`);
  await wire.call('By status and currency', 'GET', '/v1/accounts?status=closed&currency=EUR');
  await wire.call('By external id', 'GET', '/v1/accounts?external_id=main');
  await wire.call('By metadata', 'GET', '/v1/accounts?metadata[team]=none');
  await wire.call(
    'By time',
    'GET',
    '/v1/accounts?created_at[gte]=2026-01-01T00:00:00Z&created_at[lt]=2026-01-02T00:00:00Z',
  );
  await wire.call('By what is unknown', 'GET', '/v1/accounts?state=open&limit=0&created_at[gte]=never');
}

export const accountsOnWire: GroupOnWire = {
  scenes: [{ file: 'accounts', play: accounts }],
  objects: async ({ client }) => ({ account: (await client.openAccount()).id }),
};
