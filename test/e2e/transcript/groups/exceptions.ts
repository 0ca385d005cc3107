import { type Client, type List, succeeded } from '../../../../scripts/harness/client.ts';
import { addPersonOf } from '../../../support/people.ts';
import type { GroupOnWire, Page, Stage } from './group.ts';
import { payoutSent } from './payouts.ts';

async function exceptions({ fund, keys, openAccount, product, wire }: Stage): Promise<void> {
  const { pool } = product.runtime;
  const ada = await addPersonOf(pool, keys.testBookId, { name: 'Ada' });
  const ben = await addPersonOf(pool, keys.testBookId, { name: 'Ben' });
  const { id: account } = await openAccount();
  const { id: second } = await openAccount({ name: 'Second' });
  const sent = async (amount: number, from = account) => {
    await fund(from, amount + 50);
    const { id } = await wire.call('A payout', 'POST', '/v1/payouts', {
      body: { account: from, amount, currency: 'JOD', destination: { type: 'cliq', alias: 'PENDING' } },
    });
    await payoutSent(wire, 'Under way', id);
    return id;
  };
  const simulate = (title: string, payout: string, action: string) =>
    wire.call(title, 'POST', `/v1/simulations/payouts/${payout}/${action}`);
  const about = async (payout: string) => {
    const { data } = await wire.call<Page>('What people must look at', 'GET', `/v1/exceptions?resource=${payout}`);
    return `/v1/exceptions/${data[0]!.id}`;
  };

  const failedAndPaid = async (from = account) => {
    const payout = await sent(10_000, from);
    await simulate('Failed', payout, 'fail');
    await simulate('And paid after all', payout, 'complete');
    return payout;
  };

  const contradicted = await failedAndPaid();
  const one = await about(contradicted);
  await wire.call('As it is', 'GET', one);
  await wire.call('Explained by a service', 'POST', `${one}/explain`, { body: { reason: 'By a script' } });
  await wire.call('Explained before anybody has it', 'POST', `${one}/explain`, {
    body: { reason: 'Too early' },
    key: ada.key,
  });
  await wire.call('Given to nobody', 'POST', `${one}/assign`, {
    body: { person: `${ada.id.slice(0, -4)}0000` },
  });
  await wire.call('Given to a person', 'POST', `${one}/assign`, { body: { person: ada.id } });
  await wire.call('Nothing waits', 'POST', `${one}/move_to`, { body: { account }, key: ada.key });
  await wire.call('Explained', 'POST', `${one}/explain`, {
    body: { reason: 'The rail paid late' },
    headers: { 'if-match': '"2"' },
    key: ada.key,
  });
  await wire.call('Approved by a service', 'POST', `${one}/approve`, { body: { version: 3 } });
  await wire.call('Approved by who explained it', 'POST', `${one}/approve`, { body: { version: 3 }, key: ada.key });
  await wire.call('Approved as it was', 'POST', `${one}/approve`, { body: { version: 2 }, key: ben.key });
  await wire.call('Approved', 'POST', `${one}/approve`, {
    body: { version: 3 },
    key: ben.key,
    idempotencyKey: 'approval',
  });
  await wire.call('Approved again, under its key', 'POST', `${one}/approve`, {
    body: { version: 3 },
    key: ben.key,
    idempotencyKey: 'approval',
  });
  await wire.call('Timeline', 'GET', `${one}/timeline`);
  await wire.call('Its events', 'GET', `/v1/events?object=${one.split('/').at(-1)}&type=exception.*`);

  const returning = await sent(10_000);
  await simulate('Paid', returning, 'complete');
  await wire.call('The rest leaves', 'POST', '/v1/payouts', {
    body: { account, amount: 50, currency: 'JOD', destination: { type: 'account', account: second } },
    headers: { prefer: 'wait=10' },
  });
  await wire.call('Closed', 'POST', `/v1/accounts/${account}/close`);
  await simulate('Money comes back', returning, 'return');
  const other = await about(returning);
  await wire.call('Given to a person', 'POST', `${other}/assign`, { body: { person: ben.id } });
  await wire.call('Moved', 'POST', `${other}/move_to`, { body: { account: second }, key: ben.key });
  await wire.call('Approved', 'POST', `${other}/approve`, { body: { version: 3 }, key: ada.key });
  await wire.call('Several given to a person', 'POST', '/v1/exceptions/assign', {
    body: { items: [one, other].map((path) => path.split('/').at(-1)), person: ada.id },
  });
  const third = await about(await failedAndPaid(second));
  const items = [{ id: third.split('/').at(-1), version: 3 }];
  await wire.call('Given to a person', 'POST', '/v1/exceptions/assign', {
    body: { items: items.map(({ id }) => id), person: ada.id },
  });
  await wire.call('Explained', 'POST', `${third}/explain`, { body: { reason: 'As before' }, key: ada.key });
  await wire.call('Several approved', 'POST', '/v1/exceptions/approve', { body: { items }, key: ben.key });
  await wire.call('By status and kind', 'GET', '/v1/exceptions?status=approved&kind=return_to_closed_account');
  await wire.call('By what is unknown', 'GET', '/v1/exceptions?status=closed&kind=A&resource=nothing');
}

/** Of a rail that rejects a payout and then says that it paid it. */
async function anException(by: Client, account: string): Promise<string> {
  const sent = await by.pay({ account, destination: { type: 'cliq', alias: 'PENDING' } });
  await by.payoutUntil(sent.id, ({ next_inquiry_at }) => next_inquiry_at !== null);
  for (const action of ['fail', 'complete']) succeeded(await by.post(`/v1/simulations/payouts/${sent.id}/${action}`));
  return (await by.read<List<{ id: string }>>(`/v1/exceptions?resource=${sent.id}`)).data[0]!.id;
}

export const exceptionsOnWire: GroupOnWire = {
  scenes: [{ file: 'exceptions', play: exceptions }],
  objects: async ({ client, made: { account } }) => ({ exception: await anException(client, account!) }),
  bodies: ({ person }) => ({ assignException: { person } }),
};
