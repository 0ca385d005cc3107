import type { List } from '../../../../scripts/harness/client.ts';
import { requestPolicyProposal } from '../../../../src/payouts/policies/change-policy.ts';
import { encodeActor } from '../../../../src/values/actor.ts';
import { newId } from '../../../../src/values/ids.ts';
import { addPersonOf } from '../../../support/people.ts';
import type { Transcript } from '../transcript.ts';
import { type GroupOnWire, type Page, type Stage, USED_KEY } from './group.ts';

interface Payout {
  id: string;
  status: string;
  next_inquiry_at: string | null;
}

const payoutWhen = (wire: Transcript, title: string, id: string, status: string) =>
  wire.callWhen<Payout>(title, `/v1/payouts/${id}`, (payout) => payout.status === status);

/** Under way, and the rail has said that it thinks about it: only then can it be told what became of it. */
export const payoutSent = (wire: Transcript, title: string, id: string) =>
  wire.callWhen<Payout>(title, `/v1/payouts/${id}`, ({ next_inquiry_at: asked }) => asked !== null);

async function payouts({ fund, openAccount, wire }: Stage): Promise<void> {
  const { id: account } = await openAccount();
  const { id: second } = await openAccount({ name: 'Second' });
  await fund(account);
  const request = (title: string, body: object, call: object = {}, query = '') =>
    wire.call<Payout>(title, 'POST', `/v1/payouts${query}`, {
      body: { account, amount: 10_000, currency: 'JOD', destination: { type: 'cliq', alias: 'SHOP1' }, ...body },
      ...call,
    });

  await request('A dry run', {}, { idempotencyKey: null }, '?dry_run=true');
  const full = { description: 'Invoice 1041', external_id: 'inv-1041', metadata: { order: '77' } };
  const paid = await request('A payout', full, { idempotencyKey: 'first' });
  await payoutWhen(wire, 'Paid', paid.id, 'paid');
  await request('The same key again', full, { idempotencyKey: 'first' });
  await request('The same key for something else', { amount: 2 }, { idempotencyKey: 'first' });
  await request('No key', {}, { idempotencyKey: null });
  const transfer = { destination: { type: 'account', account: second } };
  await request('A book transfer, waited for', transfer, { headers: { prefer: 'wait=10' } });
  const refused = await request('To an alias that nobody has', { destination: { type: 'cliq', alias: 'NOALIAS' } });
  await payoutWhen(wire, 'Failed', refused.id, 'failed');
  const back = await request('One that comes back', { destination: { type: 'cliq', alias: 'RETURN' } });
  await payoutWhen(wire, 'Returned', back.id, 'returned');
  await wire.call('What came back', 'GET', `/v1/payouts/${back.id}/returns`);
  const told = await wire.call<Page>('Timeline of it', 'GET', `/v1/payouts/${back.id}/timeline?limit=2`);
  await wire.call('The rest', 'GET', `/v1/payouts/${back.id}/timeline?starting_after=${told.next_cursor}`);
  const pending = await request('One that the rail thinks about', { destination: { type: 'cliq', alias: 'PENDING' } });
  await payoutSent(wire, 'Under way', pending.id);
  await wire.call('Too late to cancel', 'POST', `/v1/payouts/${pending.id}/cancel`);
  await wire.call('Too early to return', 'POST', `/v1/simulations/payouts/${pending.id}/return`, { body: {} });
  await wire.call('Completed', 'POST', `/v1/simulations/payouts/${pending.id}/complete`);
  await wire.call('A part of it returned', 'POST', `/v1/simulations/payouts/${pending.id}/return`, {
    body: { amount: 1_000 },
  });
  await wire.call('More than there is', 'POST', `/v1/simulations/payouts/${pending.id}/return`, {
    body: { amount: 10_000 },
  });
  const failing = await request('Another', { destination: { type: 'cliq', alias: 'PENDING' } });
  await payoutSent(wire, 'Under way too', failing.id);
  await wire.call('Failed', 'POST', `/v1/simulations/payouts/${failing.id}/fail`, {
    body: { code: 'payee_account_closed' },
  });

  await request('More than there is', { amount: 100_000_000 });
  await request('Nothing', { amount: 0 });
  await request('A float', { amount: 1.5 });
  await request('In another currency', { currency: 'EUR' });
  await request('From nowhere', { account: `${account.slice(0, -4)}0000` });
  await request('To itself', { destination: { type: 'account', account } });
  await request('Two faults', { amount: '5', destination: { type: 'post' } });
  await wire.call('Not JSON', 'POST', '/v1/payouts', { rawBody: '{"amount": 1,}' });
  await wire.call('Not there', 'GET', `/v1/payouts/${paid.id.slice(0, -4)}0000`);

  const page = await wire.call<Page>('A page', 'GET', '/v1/payouts?limit=2');
  await wire.call('The next', 'GET', `/v1/payouts?limit=2&starting_after=${page.next_cursor}`);
  await wire.call('By what they are', 'GET', '/v1/payouts?status=failed,returned');
  await wire.call('Of an account, by a list in brackets', 'GET', `/v1/payouts?account=${account}&status[]=returned`);
  await wire.call('By metadata and external id', 'GET', '/v1/payouts?metadata[order]=77&external_id=inv-1041');

  await wire.call('Another part of it returned', 'POST', `/v1/simulations/payouts/${pending.id}/return`, {
    body: { amount: 2_000 },
  });
  const returns = `/v1/payouts/${pending.id}/returns`;
  const parts = await wire.call<Page>('Its returns', 'GET', `${returns}?limit=1`);
  const [first] = (await wire.call<Page>('The next', 'GET', `${returns}?limit=1&starting_after=${parts.next_cursor}`))
    .data;
  await wire.call('One of them', 'GET', `${returns}/${first!.id}`);
  await wire.call('Not of this payout', 'GET', `/v1/payouts/${paid.id}/returns/${first!.id}`);
  await wire.call('No cursor of this list', 'GET', `/v1/payouts/${paid.id}/returns?starting_after=${first!.id}`);
}

/** People approve, reject and change; what waits has its time. */
async function waiting({ fund, keys, openAccount, product, wire }: Stage): Promise<void> {
  const { pool } = product.runtime;
  const ada = await addPersonOf(pool, keys.testBookId, { name: 'Ada' });
  const ben = await addPersonOf(pool, keys.testBookId, { name: 'Ben' });
  const { id: account } = await openAccount();
  await fund(account);
  const request = (title: string, body: object = {}) =>
    wire.call<Payout>(title, 'POST', '/v1/payouts', {
      body: { account, amount: 10_000, currency: 'JOD', destination: { type: 'cliq', alias: 'SHOP1' }, ...body },
    });
  const policy = '/v1/payouts/approval_policy';
  const judge = (title: string, path: string, body: object, { key }: { key: string } = ada) =>
    wire.call(title, 'POST', path, { body, key });

  await wire.call('No policy yet', 'GET', policy);
  const rules = { above: [{ currency: 'JOD', amount: 5_000, approvals: 2 }], rails: ['book'] };
  await wire.call('Proposed by a service', 'PATCH', policy, { body: rules });
  await wire.call('Of a rail that is none', 'PATCH', policy, { body: { rails: ['nowhere'] }, key: ada.key });
  await wire.call('Proposed', 'PATCH', policy, { body: rules, key: ada.key });
  await judge('Approved by who proposed it', `${policy}/approve`, { version: 2 });
  await judge('Approved', `${policy}/approve`, { version: 2 }, ben);
  await judge('Approved again', `${policy}/approve`, { version: 3 }, ben);
  await wire.call('Another one proposed', 'PATCH', policy, { body: { always: true }, key: ben.key });
  await judge('Rejected', `${policy}/reject`, { version: 4 });

  const { id } = await request('A payout that two approve', { remittance: 'Invoice 17' });
  const of = `/v1/payouts/${id}`;
  await judge('By one', `${of}/approve`, { version: 2 });
  await judge('By the same person', `${of}/approve`, { version: 3 });
  await wire.call('Changed', 'PATCH', of, { body: { remittance: 'Invoice 18', metadata: { order: '77' } } });
  await judge('As it was', `${of}/approve`, { version: 3 }, ben);
  await judge('By one again', `${of}/approve`, { version: 4 });
  await judge('By the other', `${of}/approve`, { version: 5 }, ben);
  await payoutWhen(wire, 'Paid', id, 'paid');
  await wire.call('Changed too late', 'PATCH', of, { body: { remittance: 'Invoice 19' } });
  const refused = await request('One that nobody knows');
  const body = { version: 2, reason: 'Nobody knows this supplier.' };
  await judge('Rejected', `/v1/payouts/${refused.id}/reject`, body);
  await wire.call('Its timeline', 'GET', `/v1/payouts/${refused.id}/timeline`);

  const later = { amount: 1_000, scheduled_for: new Date(Date.now() + 3_600_000).toISOString() };
  const scheduled = await request('One for later', later);
  await wire.call('Canceled before its time', 'POST', `/v1/payouts/${scheduled.id}/cancel`);
  await request('In the past', { scheduled_for: new Date().toISOString().slice(0, 10) });
  await request('At no time', { scheduled_for: '2027-02-30' });
  const approved = await request('One for later, approved before', { ...later, approval: 'required' });
  await judge('Approved', `/v1/payouts/${approved.id}/approve`, { version: 2 });
}

/** No worker takes them up. */
async function canceled({ fund, openAccount, product, wire }: Stage): Promise<void> {
  const { id: account } = await openAccount();
  await fund(account);
  await product.stopPools();
  const { id } = await wire.call('A payout', 'POST', '/v1/payouts', {
    body: { account, amount: 10, currency: 'JOD', destination: { type: 'cliq', alias: 'SHOP1' } },
  });
  await wire.call('A version that is not', 'POST', `/v1/payouts/${id}/cancel`, { headers: { 'if-match': '"7"' } });
  await wire.call('Canceled', 'POST', `/v1/payouts/${id}/cancel`);
  await wire.call('Canceled again', 'POST', `/v1/payouts/${id}/cancel`);
  await wire.call('Balance', 'GET', `/v1/accounts/${account}/balance`);
  await product.startPools();
}

export const payoutsOnWire: GroupOnWire = {
  scenes: [
    { file: 'payouts', play: payouts },
    { file: 'cancel', play: canceled },
    { file: 'payout-approvals', play: waiting },
  ],
  forms: [
    {
      kind: 'end to end',
      form: /\b[A-Z0-9]{35}\b/g,
      example: (digest) => digest.toString('hex').toUpperCase().slice(0, 35),
    },
    {
      kind: 'rail reference',
      form: /\bSBX[0-9A-Za-z-]+/g,
      example: (digest) => `SBX${digest.toString('hex').toUpperCase().slice(0, 12)}`,
    },
  ],
  async rows(book) {
    const actor = encodeActor({ type: 'person', id: newId(), keyId: newId() });
    const { command } = await requestPolicyProposal.prepare(
      { rails: { all: () => [] } },
      {
        ...{ bookId: book.id, actor, requestId: newId(), idempotencyKey: null, fingerprint: Buffer.alloc(0) },
        ...{ ownerKind: 'person', change: { above: [{ currency: 'JOD', amount: 5_000n, approvals: 2 }] } },
      },
    );
    await book.submit(command);
  },
  async objects({ client, made: { account } }) {
    const payout = await client.pay({ account: account!, idempotencyKey: USED_KEY });
    const paid = await client.payoutUntil(payout.id, 'paid');
    const sentBack = await client.pay({ account: account!, destination: { type: 'cliq', alias: 'RETURN' } });
    await client.payoutUntil(sentBack.id, 'returned');
    const [returned] = (await client.read<List<{ id: string }>>(`/v1/payouts/${sentBack.id}/returns`)).data;
    return { payout: sentBack.id, payoutReturn: returned!.id, entry: paid.journal_entries[0]!, text: USED_KEY };
  },
};
