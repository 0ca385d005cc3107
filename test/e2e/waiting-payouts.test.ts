/** Payouts that wait for people and for their time: the rows A and B of the golden scenarios. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type Client,
  type Event,
  type List,
  type Payout,
  type Problem,
  succeeded,
} from '../../scripts/harness/client.ts';
import { until } from '../../scripts/harness/until.ts';
import { approveInPlace } from '../../scripts/ops-policy.ts';
import type * as schemas from '../../src/payouts/policies/api/policy-schemas.ts';
import { encodeActor } from '../../src/values/actor.ts';
import { newId, parsePublicId, publicId } from '../../src/values/ids.ts';
import { startContracted } from '../support/contracted.ts';
import { expectInvariants } from '../support/invariants.ts';
import { balanceOf, bookedOf, holding, USUAL } from '../support/payout-rows.ts';
import { addPersonOf, type TestPerson } from '../support/people.ts';
import { lookInto, type Product } from '../support/product.ts';

type Policy = (typeof schemas.policy)['_zod']['output'];

const POLICY = '/v1/payouts/approval_policy';
const AMOUNT = 5_124;
const HELD = 5_150;
const DAY_MS = 86_400_000;

let product: Product;
let service: Client;
let ada: Client;
let ben: Client;
let cem: Client;
let [adaIs, benIs]: TestPerson[] = [];
let bookId: string;
let account: string;

beforeAll(async () => {
  product = await startContracted({ backend: 'postgres' });
});
afterAll(() => product?.close());

beforeEach(async () => {
  const made = await product.organisation();
  service = made.client;
  bookId = made.keys.testBookId;
  const { pool } = product.runtime;
  adaIs = await addPersonOf(pool, bookId, { name: 'Ada' });
  benIs = await addPersonOf(pool, bookId, { name: 'Ben' });
  ada = product.client(adaIs.key);
  ben = product.client(benIs.key);
  cem = product.client((await addPersonOf(pool, bookId, { name: 'Cem' })).key);
  account = (await service.openAccount()).id;
});

const ask = (body: object = {}, client = service) => client.pay({ account, amount: AMOUNT, body });
const asked = (body: object = {}, client = service) => client.requestPayout({ account, amount: AMOUNT, body });
const approve = (client: Client, { id, version }: Pick<Payout, 'id' | 'version'>) =>
  client.post<Payout>(`/v1/payouts/${id}/approve`, { version });
const holdOf = async () => (await service.read<{ held: number }>(`/v1/accounts/${account}/balance`)).held;
const stepsOf = async ({ id }: Pick<Payout, 'id'>) => {
  const { data } = await service.read<List<Event>>(`/v1/events?object=${id}&limit=100`);
  return data.reverse().map(({ type }) => type);
};
/** What was held when the payout was released. */
async function heldBy({ hold }: Pick<Payout, 'hold'>): Promise<number> {
  const behind = lookInto(product.database);
  const { rows } = await behind.query<{ amount: string }>({
    text: "SELECT amount FROM hold_steps WHERE book_id = $1 AND hold_id = $2 AND kind = 'created'",
    values: [bookId, parsePublicId('hold', hold!)],
  });
  await behind.end();
  return Number(rows[0]!.amount);
}
/** No worker moves meanwhile what was approved. */
async function atRest<Done>(work: () => Promise<Done>): Promise<Done> {
  await product.stopPools();
  return work().finally(() => product.startPools());
}
const entriesOf = async ({ id }: Pick<Payout, 'id'>) => (await service.payout(id)).journal_entries;

async function policy(change: object): Promise<Policy> {
  const proposed = succeeded(await ada.patch<Policy>(POLICY, change));
  return succeeded(await ben.post<Policy>(`${POLICY}/approve`, { version: proposed.version }));
}

describe('approval', () => {
  test('A1: above the amount of the policy a payout waits for a person, and is then paid as ever', async () => {
    await policy({ above: [{ currency: 'JOD', amount: 5_000 }] });
    const waiting = await ask();
    expect(waiting).toMatchObject({
      status: 'requires_approval',
      waiting_on: 'approver',
      approval_reasons: ['amount'],
      approvals: [],
      approvals_required: 1,
      hold: null,
      version: 2,
      allowed_actions: ['cancel', 'approve', 'reject'],
    });
    expect(await holdOf()).toBe(0);
    expect(await entriesOf(waiting)).toEqual([]);
    const approved = succeeded(await approve(ada, waiting));
    expect(approved).toMatchObject({ status: 'pending', version: 3, approvals: [{ person: adaIs!.id }] });
    expect(approved.hold).not.toBeNull();
    const paid = await service.payoutUntil(waiting.id, 'paid');
    expect(paid.journal_entries).toHaveLength(2);
    expect(await bookedOf(service, paid)).toEqual(USUAL);
    expect(await heldBy(approved)).toBe(HELD);
    expect(paid.hold).toBe(approved.hold);
    expect(await stepsOf(waiting)).toEqual([
      'payout.created',
      'payout.requires_approval',
      'payout.approved',
      'payout.processing',
      'payout.paid',
    ]);
    expect(await ask({}, service)).toMatchObject({ status: 'requires_approval' });
    const small = await service.pay({ account, amount: 5_000 });
    await service.payoutUntil(small.id, 'paid');
    expect(small).toMatchObject({ status: 'pending', approval_reasons: [], approvals_required: 0, version: 1 });
  });

  test('A2, A3: neither who made it nor a service approves', async () => {
    const waiting = await ask({ approval: 'required' }, ada);
    expect(waiting.approval_reasons).toEqual(['requested']);
    const other = await addPersonKey(adaIs!);
    const self = await approve(other, waiting);
    expect(self.body).toMatchObject({ status: 422, code: 'self_approval_forbidden' });
    const byService = await approve(service, waiting);
    expect(byService.body).toMatchObject({ status: 403, code: 'permission_denied' });
    expect(await service.payout(waiting.id)).toMatchObject({ status: 'requires_approval', version: 2 });
    expect(await holdOf()).toBe(0);
  });

  /** A second key of the same person. */
  async function addPersonKey({ id }: TestPerson): Promise<Client> {
    return product.clientWith({ bookId, mode: 'test', personId: parsePublicId('person', id)!, scopes: ['*'] });
  }

  test('A4: of two persons at the same moment one approves, and the other sees a newer version', async () => {
    const waiting = await ask({ approval: 'required' });
    await atRest(async () => {
      const answers = await Promise.all([approve(ada, waiting), approve(ben, waiting)]);
      const [first, second] = answers.sort((one, other) => one.status - other.status);
      expect(first).toMatchObject({ status: 200, body: { status: 'pending', version: 3 } });
      expect(second!.body).toMatchObject({ status: 412, code: 'version_mismatch', version: 3 });
      expect(await holdOf()).toBe(HELD);
    });
    await service.payoutUntil(waiting.id, 'paid');
    expect((await stepsOf(waiting)).filter((type) => type === 'payout.approved')).toHaveLength(1);
  });

  test('A5: where two are needed, one person counts once, and the hold comes with the last', async () => {
    await policy({ above: [{ currency: 'JOD', amount: 5_000, approvals: 2 }] });
    const waiting = await ask();
    expect(waiting.approvals_required).toBe(2);
    const once = succeeded(await approve(ada, waiting));
    expect(once).toMatchObject({ status: 'requires_approval', version: 3, approvals: [{ person: adaIs!.id }] });
    const again = await approve(ada, once);
    expect(again.body).toMatchObject({ status: 422, code: 'self_approval_forbidden' });
    expect(await holdOf()).toBe(0);
    await atRest(async () => {
      expect(succeeded(await approve(ben, once)).status).toBe('pending');
      expect(await holdOf()).toBe(HELD);
    });
    await service.payoutUntil(waiting.id, 'paid');
    expect((await stepsOf(waiting)).slice(1, 4)).toEqual([
      'payout.requires_approval',
      'payout.updated',
      'payout.approved',
    ]);
  });

  test('A6, A7: what travels with the money clears approvals, metadata does not', async () => {
    await policy({ above: [{ currency: 'JOD', amount: 5_000, approvals: 2 }] });
    const waiting = await ask({ remittance: 'Invoice 17', purpose_code: 'SUPP' });
    const once = succeeded(await approve(ada, waiting));
    const noted = succeeded(await ben.patch<Payout>(`/v1/payouts/${waiting.id}`, { metadata: { order: '77' } }));
    expect(noted).toMatchObject({ version: 4, metadata: { order: '77' }, approvals: [{ person: adaIs!.id }] });
    const changed = succeeded(await service.patch<Payout>(`/v1/payouts/${waiting.id}`, { remittance: 'Invoice 18' }));
    expect(changed).toMatchObject({ status: 'requires_approval', approvals: [], remittance: 'Invoice 18', version: 5 });
    expect((await approve(ben, once)).body).toMatchObject({ status: 412, code: 'version_mismatch', version: 5 });
    // Who changed metadata is not barred, and who approved what was changed looks at it again.
    const first = succeeded(await approve(ben, changed));
    expect(succeeded(await approve(ada, first)).status).toBe('pending');
    await service.payoutUntil(waiting.id, 'paid');
    const { data } = await service.read<List<Event>>(`/v1/events?object=${waiting.id}&limit=100`);
    const last = data[0]!.data.object;
    expect(last).toMatchObject({ status: 'paid', remittance: 'Invoice 18', metadata: { order: '77' } });
    expect(last).toMatchObject({ purpose_code: 'SUPP', approvals: [{ person: benIs!.id }, { person: adaIs!.id }] });
    expect(last.hold).toBe((await service.payout(waiting.id)).hold);
  });

  test('a description that travels is what people approve: another one clears approvals, and its writer does not approve', async () => {
    await policy({ above: [{ currency: 'JOD', amount: 5_000, approvals: 2 }] });
    const patch = async (payout: Payout, change: object, client = service) =>
      succeeded(await client.patch<Payout>(`/v1/payouts/${payout.id}`, change));
    const once = succeeded(await approve(ada, await ask({ description: 'Rent May' })));
    expect(once).toMatchObject({ approvals: [{ person: adaIs!.id }], remittance: 'Rent May' });
    const changed = await patch(once, { description: 'Rent June' }, ben);
    expect(changed).toMatchObject({ status: 'requires_approval', approvals: [], remittance: 'Rent June' });
    expect((await approve(ben, changed)).body).toMatchObject({ code: 'self_approval_forbidden' });

    // Beside a remittance it does not travel, nor where it does not fit.
    const beside = succeeded(await approve(ada, await ask({ description: 'Rent May', remittance: 'Flat 7' })));
    expect((await patch(beside, { description: 'Rent June' })).approvals).toHaveLength(1);
    const long = succeeded(await approve(ada, await ask({ description: 'x'.repeat(141) })));
    expect((await patch(long, { description: 'y'.repeat(141) })).approvals).toHaveLength(1);
    expect((await patch(long, { description: 'Rent May' })).approvals).toEqual([]);
    for (const { id } of [once, beside, long]) succeeded(await service.post(`/v1/payouts/${id}/cancel`));
  });

  test('scheduled and approved, a payout with another description waits for people again', async () => {
    const scheduled_for = new Date(Date.now() + DAY_MS).toISOString();
    const waiting = await ask({ approval: 'required', description: 'Rent May', scheduled_for });
    expect(succeeded(await approve(ada, waiting))).toMatchObject({ status: 'scheduled', remittance: 'Rent May' });
    const path = `/v1/payouts/${waiting.id}`;
    const changed = succeeded(await service.patch<Payout>(path, { description: 'Something else' }));
    expect(changed).toMatchObject({ status: 'requires_approval', approvals: [], remittance: 'Something else' });
    succeeded(await service.post(`${path}/cancel`));
  });

  test('a new description of a released payout does not change what travelled', async () => {
    const texts = ['Invoice 17', undefined, 'x'.repeat(141)];
    for (const description of texts) {
      const made = await service.pay({ account, amount: AMOUNT, body: { description } });
      await service.payoutUntil(made.id, 'paid');
      const path = `/v1/payouts/${made.id}`;
      for (const next of ['Corrected', 'Corrected twice'])
        expect(succeeded(await service.patch<Payout>(path, { description: next }))).toMatchObject({
          description: next,
          remittance: description === 'Invoice 17' ? description : null,
        });
    }
  });

  test('whoever changes what is approved does not approve it', async () => {
    const waiting = await ask({ approval: 'required' });
    const changed = succeeded(await ada.patch<Payout>(`/v1/payouts/${waiting.id}`, { purpose_code: 'SALA' }));
    expect((await approve(ada, changed)).body).toMatchObject({ code: 'self_approval_forbidden' });
    expect(succeeded(await approve(ben, changed)).status).toBe('pending');
    await service.payoutUntil(waiting.id, 'paid');
    const late = await service.patch(`/v1/payouts/${waiting.id}`, { remittance: 'Too late' });
    expect(late.body).toMatchObject({ status: 409, code: 'state_conflict', current_status: 'paid' });
    const noted = succeeded(await service.patch<Payout>(`/v1/payouts/${waiting.id}`, { external_id: 'inv-18' }));
    expect(noted).toMatchObject({ status: 'paid', external_id: 'inv-18' });
  });

  test('A8: without funds an approval is refused and changes nothing; with them it is given again', async () => {
    const poor = (await service.openAccount({ funds: HELD - 1 })).id;
    const waiting = await service.pay({ account: poor, amount: AMOUNT, body: { approval: 'required' } });
    const refused = await approve(ada, waiting);
    expect(refused.body).toMatchObject({
      status: 422,
      code: 'insufficient_funds',
      available: HELD - 1,
      required: HELD,
    });
    expect(await service.payout(waiting.id)).toMatchObject({ status: 'requires_approval', version: 2, approvals: [] });
    const one = { account: poor, amount: 1, currency: 'JOD' };
    succeeded(await service.post('/v1/simulations/inbound_transfers', one));
    await atRest(async () => {
      expect(succeeded(await approve(ada, waiting)).status).toBe('pending');
      expect(await balanceOf(service, poor)).toEqual(holding(HELD, HELD));
    });
    await service.payoutUntil(waiting.id, 'paid');
  });

  test('A9: a person rejects with a reason, and that is the end', async () => {
    const waiting = await ask({ approval: 'required' });
    const body = { version: waiting.version, reason: 'Nobody knows this supplier.' };
    const rejected = succeeded(await ada.post<Payout>(`/v1/payouts/${waiting.id}/reject`, body));
    expect(rejected).toMatchObject({ status: 'rejected', waiting_on: 'nobody', hold: null, allowed_actions: [] });
    const cancel = await service.post(`/v1/payouts/${waiting.id}/cancel`);
    expect(cancel.body).toMatchObject({ status: 409, code: 'state_conflict', current_status: 'rejected' });
    const timeline = await service.read<List<{ type: string; reason: object | null; actor: { id: string } }>>(
      `/v1/payouts/${waiting.id}/timeline`,
    );
    expect(timeline.data.at(-1)).toMatchObject({
      type: 'payout.rejected',
      reason: { message: body.reason },
      actor: { id: adaIs!.id },
    });
    expect(await holdOf()).toBe(0);
  });

  test('a payout that waits keeps its account open, and is canceled by whoever made it', async () => {
    const poor = (await service.openAccount({ funds: 0 })).id;
    const waiting = await service.pay({ account: poor, amount: AMOUNT, body: { approval: 'required' } });
    const closing = await service.post(`/v1/accounts/${poor}/close`);
    expect(closing.body).toMatchObject({
      status: 409,
      code: 'account_not_empty',
      blocked_by: [{ type: 'payouts_in_flight', payouts: [waiting.id] }],
    });
    const canceled = succeeded(await service.post<Payout>(`/v1/payouts/${waiting.id}/cancel`));
    expect(canceled).toMatchObject({ status: 'canceled', hold: null });
    expect((await service.post(`/v1/accounts/${poor}/close`)).status).toBe(200);
  });

  const savePayee = async (alias: string) =>
    succeeded(
      await service.post<{ id: string }>('/v1/payees', { name: 'Supplier', destination: { type: 'cliq', alias } }),
    );
  const changePayee = async (id: string, alias: string) =>
    succeeded(await service.patch(`/v1/payees/${id}`, { destination: { type: 'cliq', alias } }));
  const payPayee = (payee: string, body: object = {}) =>
    service.pay({ account, amount: AMOUNT, destination: { type: 'payee', payee }, body });

  test('A10: nobody approves a destination that its payee no longer has', async () => {
    const to = (iban: string) => ({ destination: { type: 'iban', iban, name: 'Supplier' } });
    const body = { name: 'Supplier', ...to('JO94CBJO0010000000000131000302') };
    const { id: payee } = succeeded(await service.post<{ id: string }>('/v1/payees', body));
    const waiting = await payPayee(payee, { approval: 'required' });
    succeeded(await service.patch(`/v1/payees/${payee}`, to('DE89370400440532013000')));
    expect(await stepsOf({ id: payee })).toEqual(['payee.created', 'payee.updated']);
    const refused = await approve(ada, waiting);
    expect(refused.body).toMatchObject({
      status: 409,
      code: 'state_conflict',
      current_status: 'requires_approval',
    });
    expect(JSON.stringify(refused.body)).toContain(`The destination of ${payee} was changed`);
    const canceled = succeeded(await service.post<Payout>(`/v1/payouts/${waiting.id}/cancel`));
    expect(canceled).toMatchObject({ status: 'canceled', hold: null });
  });

  test('A11: a payee is new until a payout to it was approved, and again with another destination', async () => {
    await policy({ new_payees: true });
    const { id: payee } = await savePayee('SHOP1');
    const [first, second] = [await payPayee(payee), await payPayee(payee)];
    for (const waiting of [first, second])
      expect(waiting).toMatchObject({ status: 'requires_approval', approval_reasons: ['new_payee'] });
    expect(succeeded(await approve(ada, first)).status).toBe('pending');
    expect(await payPayee(payee)).toMatchObject({ status: 'pending', approval_reasons: [] });
    expect((await service.payout(second.id)).status).toBe('requires_approval');
    await changePayee(payee, 'SHOP2');
    expect((await payPayee(payee)).approval_reasons).toEqual(['new_payee']);
  });

  test('several rules of a currency: the most people of those that a payout exceeds', async () => {
    await policy({
      above: [
        { currency: 'JOD', amount: 6_000, approvals: 2 },
        { currency: 'JOD', amount: 1_000 },
      ],
    });
    expect(await ask()).toMatchObject({ approval_reasons: ['amount'], approvals_required: 1 });
    expect(await service.pay({ account, amount: 6_001 })).toMatchObject({ approvals_required: 2 });
    expect(await service.pay({ account, amount: 1_000 })).toMatchObject({ status: 'pending' });
    const above = [1, 2].map((approvals) => ({ currency: 'JOD', amount: 7, approvals }));
    const refused = await ada.patch<Problem>(POLICY, { above });
    expect(refused.body).toMatchObject({ code: 'parameter_invalid', param: '/above/1/amount' });
  });

  test('A12: a policy is proposed by one person and approved by another', async () => {
    const before = await ask();
    expect(before.status).toBe('pending');
    const proposed = succeeded(await ada.patch<Policy>(POLICY, { always: true }));
    expect(proposed).toMatchObject({ always: false, version: 2, pending: { always: true, proposed_by: adaIs!.id } });
    expect(await ask()).toMatchObject({ status: 'pending' });
    const self = await ada.post(`${POLICY}/approve`, { version: 2 });
    expect(self.body).toMatchObject({ status: 422, code: 'self_approval_forbidden' });
    const byService = await service.patch(POLICY, { always: false });
    expect(byService.body).toMatchObject({ status: 403, code: 'permission_denied' });
    const approved = succeeded(await ben.post<Policy>(`${POLICY}/approve`, { version: 2 }));
    expect(approved).toMatchObject({ always: true, version: 3, pending: null, allowed_actions: [] });
    expect(await ask()).toMatchObject({ status: 'requires_approval', approval_reasons: ['amount'] });
    expect(await service.payout(before.id)).toMatchObject({ approval_reasons: [] });
    const nothing = await ben.post(`${POLICY}/reject`, { version: 3 });
    expect(nothing.body).toMatchObject({ status: 409, code: 'state_conflict' });
    const again = succeeded(await ben.patch<Policy>(POLICY, { always: false, rails: ['sandbox'] }));
    const rejected = succeeded(await ada.post<Policy>(`${POLICY}/reject`, { version: again.version }));
    expect(rejected).toMatchObject({ always: true, rails: [], pending: null });
    const { data } = await service.read<List<Event>>('/v1/events?type=approval_policy.*');
    expect(data.map(({ type }) => type)).toEqual([
      'approval_policy.rejected',
      'approval_policy.proposed',
      'approval_policy.approved',
      'approval_policy.proposed',
    ]);
  });

  test('where an organisation has but one person, the operator approves what that person has proposed', async () => {
    const { pool } = product.runtime;
    const { client, keys } = await product.organisation();
    const only = product.client((await addPersonOf(pool, keys.testBookId, { name: 'Cleo' })).key);
    const by = { actor: encodeActor({ type: 'operator', name: 'olga' }), version: 2 };
    const book = publicId('book', keys.testBookId);
    await expect(approveInPlace(pool, book, by)).rejects.toThrow('The policy is at version 1. Nothing was changed.');
    const proposed = succeeded(await only.patch<Policy>(POLICY, { always: true }));
    expect(proposed).toMatchObject({ always: false, version: 2 });
    expect(JSON.parse(await approveInPlace(pool, book, by))).toMatchObject({ always: true, version: 3, pending: null });
    expect(await client.read(POLICY)).toMatchObject({ always: true, version: 3 });
    const { data } = await client.read<List<Event>>('/v1/events?type=approval_policy.approved');
    expect(data).toMatchObject([{ object_sequence: 3, data: { object: { always: true } } }]);
    succeeded(await ada.patch<Policy>(POLICY, { always: true }));
    await expect(approveInPlace(pool, publicId('book', bookId), by)).rejects.toThrow('has several persons');
    await expect(approveInPlace(pool, publicId('book', newId()), by)).rejects.toThrow('There is no book');
  });

  test('a rail and a new destination are reasons too, and an account of the book is never new', async () => {
    await policy({ rails: ['sandbox'], new_payees: true });
    expect((await ask()).approval_reasons).toEqual(['new_payee', 'rail']);
    const target = (await service.openAccount({ funds: 0 })).id;
    const within = await service.pay({ account, amount: 100, destination: { type: 'account', account: target } });
    expect(within).toMatchObject({ status: 'pending', approval_reasons: [] });
    const unknown = await ada.patch(POLICY, { rails: ['nowhere'] });
    expect(unknown.body).toMatchObject({ status: 400, code: 'parameter_invalid', param: '/rails/0' });
  });

  const reject = (client: Client, { id, version }: Pick<Payout, 'id' | 'version'>) =>
    client.post<Payout>(`/v1/payouts/${id}/reject`, { version, reason: 'No' });

  test('two rules of a currency, at each of their amounts and one above it; none of another currency', async () => {
    const above = [{ amount: 5_000 }, { amount: 9_000, approvals: 2 }].map((rule) => ({ currency: 'JOD', ...rule }));
    await policy({ above: [...above, { currency: 'KWD', amount: 0 }] });
    const found: unknown[] = [];
    for (const amount of [5_000, 5_001, 9_000, 9_001])
      found.push((await service.pay({ account, amount })).approvals_required);
    expect(found).toEqual([0, 1, 1, 2]);
    const [kwd, jpy] = [
      (await service.openAccount({ currency: 'KWD' })).id,
      (await service.openAccount({ currency: 'JPY', funds: 9_000_000 })).id,
    ];
    expect(await service.pay({ account: kwd, amount: 1, currency: 'KWD' })).toMatchObject({ approvals_required: 1 });
    expect(await service.pay({ account: jpy, amount: 5_000_000, currency: 'JPY' })).toMatchObject({
      status: 'pending',
    });
    expect(await ask({ approval: 'required' })).toMatchObject({ approval_reasons: ['requested', 'amount'] });
  });

  test('who gave the first approval may reject, who made it may not; and what has ended is approved by nobody', async () => {
    await policy({ above: [{ currency: 'JOD', amount: 5_000, approvals: 2 }] });
    const once = succeeded(await approve(ada, await ask()));
    const rejected = succeeded(await reject(ada, once));
    expect((await approve(ben, rejected)).body).toMatchObject({ status: 409, current_status: 'rejected' });
    const own = await ask({}, ada);
    expect((await reject(ada, own)).body).toMatchObject({ code: 'self_approval_forbidden' });
    const canceled = succeeded(await ada.post<Payout>(`/v1/payouts/${own.id}/cancel`));
    expect((await approve(ben, canceled)).body).toMatchObject({ status: 409, current_status: 'canceled' });
  });

  test('neither a rejection nor an approval without funds makes a payee known', async () => {
    await policy({ new_payees: true });
    const { id: payee } = await savePayee('SHOP1');
    succeeded(await reject(ada, await payPayee(payee)));
    const poor = (await service.openAccount({ funds: HELD - 1 })).id;
    const destination = { type: 'payee', payee };
    const short = await service.pay({ account: poor, amount: AMOUNT, destination });
    expect((await approve(ada, short)).body).toMatchObject({ code: 'insufficient_funds' });
    const third = await payPayee(payee);
    expect(third.approval_reasons).toEqual(['new_payee']);
    succeeded(await approve(ada, third));
    expect(await payPayee(payee)).toMatchObject({ status: 'pending', approval_reasons: [] });
  });

  test('a newer proposal takes the place of one that waits, and a laxer policy lets no waiting payout go', async () => {
    await policy({ always: true });
    const waiting = await ask();
    const first = succeeded(await ada.patch<Policy>(POLICY, { new_payees: true }));
    const second = succeeded(await ben.patch<Policy>(POLICY, { always: false }));
    expect((await cem.post(`${POLICY}/approve`, { version: first.version })).body).toMatchObject({ status: 412 });
    expect((await ben.post(`${POLICY}/approve`, { version: second.version })).body).toMatchObject({
      code: 'self_approval_forbidden',
    });
    const inForce = succeeded(await ada.post<Policy>(`${POLICY}/approve`, { version: second.version }));
    expect(inForce).toMatchObject({ always: false, new_payees: false });
    expect(await service.payout(waiting.id)).toMatchObject({
      status: 'requires_approval',
      approval_reasons: ['amount'],
    });
  });
});

describe('schedule', () => {
  interface Clock {
    now: string;
    status: 'idle' | 'advancing';
  }
  const readClock = () => service.read<Clock>('/v1/simulations/clock');
  const clockIsThere = () => until(readClock, ({ status }) => status === 'idle');
  async function advance(body: object): Promise<Clock> {
    expect((await service.post('/v1/simulations/clock/advance', body)).status).toBe(202);
    return clockIsThere();
  }
  const inHours = (hours: number, from = Date.now()) => new Date(from + hours * 3_600_000).toISOString();
  const schedule = (at: string, body: object = {}) => ask({ scheduled_for: at, ...body });

  /** The next last Friday of April behind the first of that month: Cairo's clocks go from 23:59 to 01:00, its midnight is none. */
  function dayWithoutMidnight(): string {
    const now = new Date();
    const year = now.getUTCFullYear() + (now.getUTCMonth() < 3 ? 0 : 1);
    const last = new Date(Date.UTC(year, 3, 30));
    last.setUTCDate(30 - ((last.getUTCDay() + 2) % 7));
    return last.toISOString().slice(0, 10);
  }

  test('B1: a day begins when it does in the zone of the book, also where it has no midnight', async () => {
    const superuser = lookInto(product.database);
    await superuser.query("UPDATE books SET time_zone = 'Africa/Cairo' WHERE id = $1", [bookId]);
    await superuser.end();
    const day = dayWithoutMidnight();
    const begins = new Date(Date.parse(`${day}T00:00:00+02:00`));
    await advance({ to: `${day.slice(0, 8)}01T00:00:00Z` });
    const waiting = await schedule(day);
    expect(waiting).toMatchObject({
      status: 'scheduled',
      waiting_on: 'schedule',
      scheduled_for: begins.toISOString(),
      hold: null,
      version: 2,
      allowed_actions: ['cancel'],
    });
    expect(await holdOf()).toBe(0);
    await advance({ to: new Date(begins.getTime() - 1_000).toISOString() });
    expect((await service.payout(waiting.id)).status).toBe('scheduled');
    await advance({ to: begins.toISOString() });
    const paid = await service.payoutUntil(waiting.id, 'paid');
    expect(await heldBy(paid)).toBe(HELD);
    expect(await bookedOf(service, paid)).toEqual(USUAL);
    expect(await stepsOf(waiting)).toEqual([
      'payout.created',
      'payout.scheduled',
      'payout.updated',
      'payout.processing',
      'payout.paid',
    ]);
    const { data } = await service.read<List<Event>>(`/v1/events?object=${waiting.id}`);
    const held = data.find(({ type }) => type === 'payout.updated')!;
    expect(held.created_at).toBe(begins.toISOString());
    expect(held.data.previous_attributes).toMatchObject({ status: 'scheduled', hold: null });
  });

  test('B2: on the way of a clock, each is released and posted at its own moment, and a hold expires between them', async () => {
    const { now } = await readClock();
    const nine = Date.parse(now);
    const target = (await service.openAccount({ funds: 0 })).id;
    const within = { type: 'account', account: target };
    const due = [1, 2, 3].map((hours) => inHours(hours, nine));
    const made: Payout[] = [];
    for (const at of due)
      made.push(await service.pay({ account, amount: 100, destination: within, body: { scheduled_for: at } }));
    const expiring = succeeded(
      await service.post<{ id: string }>(`/v1/accounts/${account}/holds`, {
        amount: 7,
        expires_at: inHours(2.5, nine),
      }),
    );
    // The way is begun by nobody, and taken up by one worker after another.
    await product.stopPools();
    expect((await service.post('/v1/simulations/clock/advance', { to: inHours(4, nine) })).status).toBe(202);
    await product.startPools();
    await product.stopPools();
    await product.startPools();
    await clockIsThere();
    const ended = await Promise.all(made.map(({ id }) => service.payout(id)));
    expect(ended.map(({ status }) => status)).toEqual(['paid', 'paid', 'paid']);
    for (const [place, { journal_entries: entries }] of ended.entries())
      for (const id of entries) {
        const entry = await service.read<{ posted_at: string }>(`/v1/journal/entries/${id}`);
        expect(entry.posted_at).toBe(due[place]);
      }
    const { data } = await service.read<List<Event>>('/v1/events?limit=100');
    const told = data
      .reverse()
      .filter(({ type }) => type === 'payout.processing' || type === 'hold.expired')
      .map((event) => event.data.object.id);
    expect(told).toEqual([made[0]!.id, made[1]!.id, expiring.id, made[2]!.id]);
  });

  test('what the rail answers at once is dated by the moment of its payout, however far the clock goes', async () => {
    const { now } = await readClock();
    const due = [1, 24 * 20].map((hours) => inHours(hours, Date.parse(now)));
    const made = [];
    for (const at of due) made.push(await ask({ scheduled_for: at }));
    await advance({ by: 'P40D' });
    for (const [place, { id }] of made.entries()) {
      const { status, journal_entries: entries } = await service.payout(id);
      expect(status).toBe('paid');
      expect(entries).toHaveLength(2);
      for (const entry of entries)
        expect(await service.read(`/v1/journal/entries/${entry}`)).toMatchObject({ posted_at: due[place] });
    }
  });

  test('a payee that is disabled is paid by nothing that waits', async () => {
    const saved = { name: 'Supplier', destination: { type: 'cliq', alias: 'SHOP1' } };
    const payee = succeeded(await service.post<{ id: string }>('/v1/payees', saved));
    const toPayee = (body: object) =>
      service.pay({ account, amount: AMOUNT, destination: { type: 'payee', payee: payee.id }, body });
    const judged = await toPayee({ approval: 'required' });
    const timed = await toPayee({ scheduled_for: inHours(1) });
    succeeded(await service.post(`/v1/payees/${payee.id}/disable`));
    const refused = await approve(ada, judged);
    expect(refused.body).toMatchObject({ status: 422, code: 'destination_invalid' });
    await advance({ by: 'PT2H' });
    const [waiting, failed] = await Promise.all([judged, timed].map(({ id }) => service.payout(id)));
    expect(waiting).toMatchObject({ status: 'requires_approval', version: 2 });
    expect(failed).toMatchObject({ status: 'failed', failure: { code: 'payee_changed' }, journal_entries: [] });
    succeeded(await service.post(`/v1/payees/${payee.id}/enable`));
    expect(succeeded(await approve(ada, judged)).status).toBe('pending');
  });

  test('B3, B4: at its time an account without funds and a frozen account fail it, and nothing was ever held', async () => {
    const poor = (await service.openAccount({ funds: HELD - 1 })).id;
    const at = inHours(1);
    const short = await service.pay({ account: poor, amount: AMOUNT, body: { scheduled_for: at } });
    const cold = await schedule(at);
    const saved = { name: 'Supplier', destination: { type: 'cliq', alias: 'SHOP1' } };
    const payee = succeeded(await service.post<{ id: string }>('/v1/payees', saved));
    const other = (await service.openAccount()).id;
    const moved = await service.pay({
      account: other,
      amount: AMOUNT,
      destination: { type: 'payee', payee: payee.id },
      body: { scheduled_for: at },
    });
    const elsewhere = { destination: { type: 'cliq', alias: 'SHOP2' } };
    succeeded(await service.patch(`/v1/payees/${payee.id}`, elsewhere));
    succeeded(await service.post(`/v1/accounts/${account}/freeze`));
    await advance({ by: 'PT2H' });
    const failed = await Promise.all([short, cold, moved].map(({ id }) => service.payout(id)));
    expect(failed).toMatchObject([
      { status: 'failed', hold: null, failure: { code: 'insufficient_funds' }, journal_entries: [] },
      { status: 'failed', hold: null, failure: { code: 'source_account_frozen' }, journal_entries: [] },
      { status: 'failed', hold: null, failure: { code: 'payee_changed' }, journal_entries: [] },
    ]);
    expect(await stepsOf(short)).toEqual(['payout.created', 'payout.scheduled', 'payout.failed']);
  });

  test('B5: an approved payout waits for its time, and is canceled before it', async () => {
    const waiting = await schedule(inHours(24 * 30), { approval: 'required' });
    expect(waiting).toMatchObject({ status: 'requires_approval', waiting_on: 'approver' });
    const approved = succeeded(await approve(ada, waiting));
    expect(approved).toMatchObject({ status: 'scheduled', hold: null, allowed_actions: ['cancel'] });
    const canceled = succeeded(await service.post<Payout>(`/v1/payouts/${waiting.id}/cancel`));
    expect(canceled).toMatchObject({ status: 'canceled', hold: null });
    expect(await stepsOf(waiting)).toEqual([
      'payout.created',
      'payout.requires_approval',
      'payout.approved',
      'payout.canceled',
    ]);
    await advance({ by: 'P31D' });
    expect((await service.payout(waiting.id)).status).toBe('canceled');
  });

  test('a new time of an approved payout is approved again, and its own time passes it by', async () => {
    const waiting = await schedule(inHours(1), { approval: 'required' });
    const approved = succeeded(await approve(ada, waiting));
    const moved = succeeded(await service.patch<Payout>(`/v1/payouts/${waiting.id}`, { scheduled_for: inHours(3) }));
    expect(moved).toMatchObject({ status: 'requires_approval', approvals: [], version: approved.version + 1 });
    expect(moved.expected_arrival).toBe(moved.scheduled_for);
    await advance({ by: 'PT4H' });
    expect((await service.payout(waiting.id)).status).toBe('requires_approval');
    // Its time has come: the approval releases it.
    expect(succeeded(await approve(ada, moved)).status).toBe('pending');
    await service.payoutUntil(waiting.id, 'paid');
    const other = await schedule(inHours(10));
    const later = succeeded(await service.patch<Payout>(`/v1/payouts/${other.id}`, { scheduled_for: inHours(20) }));
    expect(later).toMatchObject({ status: 'scheduled', version: 3 });
    await advance({ by: 'PT9H' });
    expect((await service.payout(other.id)).status).toBe('scheduled');
    await advance({ by: 'PT12H' });
    await service.payoutUntil(other.id, 'paid');
  });

  test.each(['tomorrow', '2027-02-30', '2027-04-30T09:00:00', '2020-01-01', '2020-01-01T00:00:00Z', 20_270_430])(
    '%s is no time for a payout',
    async (at) => {
      const { body } = await asked({ scheduled_for: at });
      expect(body).toMatchObject({ status: 400, code: 'parameter_invalid', param: '/scheduled_for' });
    },
  );

  test('a moment of the book more than a year ahead is no time for a payout', async () => {
    const { now } = await readClock();
    const { body } = await asked({ scheduled_for: inHours(400 * 24, Date.parse(now)) });
    expect(body).toMatchObject({ status: 400, code: 'parameter_invalid', param: '/scheduled_for' });
  });

  test('of two that are due at one moment and money for one, the first is paid', async () => {
    const poor = (await service.openAccount({ funds: HELD })).id;
    const at = inHours(1);
    const two: Payout[] = [];
    for (let one = 0; one < 2; one++)
      two.push(await service.pay({ account: poor, amount: AMOUNT, body: { scheduled_for: at } }));
    await advance({ to: at });
    await service.payoutUntil(two[0]!.id, 'paid');
    expect(await service.payout(two[1]!.id)).toMatchObject({
      ...{ status: 'failed', hold: null, failure: { code: 'insufficient_funds' } },
    });
  });

  test('to an account that is closed by then it fails, and nothing was held', async () => {
    const target = (await service.openAccount({ funds: 0 })).id;
    const made = await service.pay({
      ...{ account, amount: AMOUNT, destination: { type: 'account', account: target } },
      body: { scheduled_for: inHours(1) },
    });
    succeeded(await service.post(`/v1/accounts/${target}/close`));
    await advance({ by: 'PT2H' });
    expect(await service.payout(made.id)).toMatchObject({
      ...{ status: 'failed', failure: { code: 'payee_account_closed' }, journal_entries: [] },
    });
  });

  test('a day that has begun is none, and a leap day within the year ahead is one', async () => {
    await advance({ to: '2135-03-01T00:00:00Z' });
    for (const at of ['2136-02-29', '2136-02-29T23:30:00+03:00']) {
      const { id, scheduled_for } = await schedule(at);
      expect(scheduled_for).toBe(at.length === 10 ? '2136-02-29T00:00:00.000Z' : '2136-02-29T20:30:00.000Z');
      succeeded(await service.post(`/v1/payouts/${id}/cancel`));
    }
    for (const at of ['2135-03-01', '2137-02-28'])
      expect((await asked({ scheduled_for: at })).body).toMatchObject({ status: 400, param: '/scheduled_for' });
  });

  test('a dry run shows what would wait, and keeps nothing', async () => {
    const preview = await service.requestPayout({
      account,
      amount: AMOUNT,
      query: '?dry_run=true',
      body: { scheduled_for: inHours(1), approval: 'required' },
    });
    expect(preview.body).toMatchObject({ status: 'requires_approval', dry_run: true, hold: null });
    expect((await service.read<List<Payout>>('/v1/payouts')).data).toEqual([]);
  });

  test('in the world’s own time the sweeper releases it', async () => {
    const waiting = await schedule(new Date(Date.now() + 1_500).toISOString());
    expect(waiting.status).toBe('scheduled');
    await service.payoutUntil(waiting.id, 'paid');
  });
});

test('behind all of it nothing is lost, and nothing has happened twice', () => expectInvariants(product));
