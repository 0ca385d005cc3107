/** Card purchases, told by messages; disputes of cardholders; settlements of the scheme; and simulations of all of them. */
import { succeeded } from '../../../../scripts/harness/client.ts';
import { playPurchases } from '../../../support/card-scene.ts';
import { makeCard } from '../../../support/cards.ts';
import { MERCHANT, purchase, type TransactionDispute, tell } from '../../../support/purchases.ts';
import type { GroupOnWire, Page, Stage } from './group.ts';

interface Made {
  id: string;
}

async function cardWith({ openAccount, fund, wire }: Stage): Promise<{ card: string; account: string }> {
  const { id: account } = await openAccount();
  await fund(account);
  const body = { account, type: 'virtual', cardholder: { name: 'Ada Lovelace' } };
  return { card: (await wire.call<Made>('A card', 'POST', '/v1/cards', { body })).id, account };
}

/** Calls that name messages and purchases as the scene says. */
function messages({ wire }: Stage, card: string) {
  const common = { card, currency: 'JOD', merchant: { ...MERCHANT, city: 'Amman', country: 'JO' } };
  return {
    request: (title: string, name: string, body: object, query = '') =>
      wire.call<Made>(title, 'POST', `/v1/transactions${query}`, {
        body: { ...common, message_reference: name, network_reference: `net-${name}`, entry_mode: 'chip', ...body },
        idempotencyKey: null,
      }),
    /** Of a purchase that is there. */
    tell: (title: string, { id }: Made, action: string, message_reference: string, body: object = {}) =>
      wire.call<Made>(title, 'POST', `/v1/transactions/${id}/${action}`, {
        body: { message_reference, ...body },
        idempotencyKey: null,
      }),
    /** By the network's reference. */
    send: (title: string, list: string, body: object) =>
      wire.call<Made>(title, 'POST', `/v1/transactions/${list}`, {
        body: { ...common, ...body },
        idempotencyKey: null,
      }),
  };
}

async function transactions(stage: Stage): Promise<void> {
  const { wire } = stage;
  const { card, account } = await cardWith(stage);
  const { request, tell: say, send } = messages(stage, card);
  await request('What would be decided', 'msg-1', { amount: 4_000 }, '?dry_run=true');
  const first = await request('An authorization', 'msg-1', { amount: 4_000 });
  await request('The same again', 'msg-1', { amount: 4_000 });
  await request('The same reference, and another message', 'msg-1', { amount: 4_001 });
  await request('Declined', 'msg-2', { amount: 4_000_000 });
  await request('A card of nobody', 'msg-3', { amount: 4_000, card: `${card.slice(0, -4)}0000` });
  await request('A part is approved', 'msg-4', {
    amount: 2_000_000,
    partial_approval_allowed: true,
    merchant: { ...MERCHANT, mcc: '5812' },
  });
  const path = `/v1/transactions/${first.id}`;
  await say('More is asked for, in vain', first, 'increment', 'msg-5', { amount: 500 });
  await say('A part is reversed', first, 'reverse', 'msg-6', { amount: 1_000 });
  await say('Cleared', first, 'clear', 'msg-7', { amount: 3_000, currency: 'JOD', interchange: -45 });
  await say('In another currency', first, 'clear', 'msg-8', { amount: 3_000, currency: 'USD' });
  await say('Refunded', first, 'refund', 'msg-9', { amount: 500, currency: 'JOD' });
  await say('The refund is reversed', first, 'reverse', 'msg-10', { reverses: 'msg-9' });
  await wire.call('Read', 'GET', path);
  await wire.call('Its messages', 'GET', `${path}/events?limit=2`);
  await wire.call('Its timeline', 'GET', `${path}/timeline`);
  await wire.call('Metadata', 'PATCH', path, { body: { metadata: { trip: '7' } } });
  await wire.call('What became of a message', 'GET', '/v1/transactions/messages/msg-7');
  await wire.call('Of one that nobody sent', 'GET', '/v1/transactions/messages/msg-8');
  const second = await request('Another', 'msg-11', { amount: 1 });
  await say('Released before its time', second, 'expire', 'msg-12');
  await say('Released already', second, 'expire', 'msg-13');
  const named = (message_reference: string, network_reference: string) => ({ message_reference, network_reference });
  await send('A clearing without an authorization', 'clearings', { ...named('msg-14', 'net-14'), amount: 700 });
  await send('A refund without a purchase', 'refunds', { ...named('msg-15', 'net-15'), amount: 900 });
  await send('A reversal that comes first', 'reversals', { ...named('msg-16', 'net-16'), amount: 100 });
  await send('An increment by reference', 'increments', { ...named('msg-17', 'net-16'), amount: 150 });
  await send('The network has approved', 'advices', {
    ...named('msg-18', 'net-18'),
    advice: { reason: 'stand_in', of: 'authorization', decision: 'approved', approved_amount: 2_000 },
  });
  await send('Without a merchant', 'clearings', { ...named('msg-19', 'net-19'), amount: 700, merchant: undefined });
  await request('Is the card good?', 'msg-20', { amount: 0, kind: 'account_verification' });
  await request('What does it have?', 'msg-21', { amount: 0, kind: 'balance_inquiry' });
  const third = await request('An authorization of a hotel', 'msg-22', {
    amount: 100,
    merchant: { ...MERCHANT, mcc: '7011' },
  });
  await say('It asks for more', third, 'increment', 'msg-23', { amount: 50 });
  await say('Cleared', third, 'clear', 'msg-24', { amount: 150, currency: 'JOD' });
  await say('The clearing is reversed', third, 'reverse', 'msg-25', { reverses: 'msg-24' });
  for (const attempt of [1, 2, 3])
    await request(`A wrong PIN, number ${attempt}`, `msg-pin-${attempt}`, { amount: 1, pin_result: 'no_match' });
  await wire.call('The PIN is unblocked', 'POST', `/v1/cards/${card}/unblock_pin`);
  const page = await wire.call<Page>('A page', 'GET', `/v1/transactions?account=${account}&limit=1`);
  await wire.call('The next', 'GET', `/v1/transactions?account=${account}&limit=1&starting_after=${page.next_cursor}`);
  await wire.call('Had the account had a limit', 'POST', '/v1/cards/controls/backtest?limit=1', {
    body: {
      controls: { limits: [{ window: 'authorization', amount: 100 }] },
      ...{ account, from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' },
    },
  });
}

async function disputes(stage: Stage): Promise<void> {
  const { wire } = stage;
  const { card } = await cardWith(stage);
  const { request, tell: say } = messages(stage, card);
  const bought = await request('A purchase', 'msg-1', { amount: 4_000 });
  await say('Cleared', bought, 'clear', 'msg-2', { amount: 4_000, currency: 'JOD' });
  const path = `/v1/transactions/${bought.id}/disputes`;
  const open = (title: string, body: object, call: object = {}) =>
    wire.call<Made>(title, 'POST', path, { body: { reason: 'product_not_received', ...body }, ...call });
  const act = (title: string, { id }: Made, action: string) =>
    wire.call<Made>(title, 'POST', `${path}/${id}/${action}`);
  const first = await open('A part is disputed', { amount: 2_500 }, { idempotencyKey: 'dispute' });
  await open('The same key again', { amount: 2_500 }, { idempotencyKey: 'dispute' });
  await open('More than is left', { amount: 2_000 });
  await act('Submitted', first, 'submit');
  await act('Submitted already', first, 'submit');
  await act('Lost', first, 'lose');
  const second = await open('All of it', {});
  await act('Withdrawn', second, 'withdraw');
  const third = await open('Another', { amount: 500 });
  await act('Submitted', third, 'submit');
  await act('Won', third, 'win');
  const simulated = async (amount: number, action: string) => {
    const dispute = await open('And another', { amount });
    await act('Submitted', dispute, 'submit');
    await wire.call('Decided', 'POST', `/v1/simulations/card_disputes/${dispute.id}/${action}`);
  };
  await simulated(100, 'win');
  await simulated(200, 'lose');
  await wire.call('All of them', 'GET', path);
  await wire.call('One', 'GET', `${path}/${first.id}`);
  await wire.call('Its timeline', 'GET', `${path}/${first.id}/timeline`);
}

async function settlements(stage: Stage): Promise<void> {
  const { wire } = stage;
  const { card } = await cardWith(stage);
  const { request, tell: say } = messages(stage, card);
  const bought = await request('A purchase', 'msg-1', { amount: 4_000 });
  await say('Cleared', bought, 'clear', 'msg-2', { amount: 4_000, currency: 'JOD', interchange: -45 });
  await say('Refunded', bought, 'refund', 'msg-3', { amount: 500, currency: 'JOD' });
  const { data } = await wire.call<Page>('The scheme settles', 'POST', '/v1/simulations/scheme_settlements', {
    body: {},
  });
  await wire.call('Nothing is left', 'POST', '/v1/simulations/scheme_settlements', { body: { currency: 'JOD' } });
  const path = `/v1/transactions/settlements/${data[0]!.id}`;
  await wire.call('All settlements', 'GET', '/v1/transactions/settlements');
  await wire.call('One', 'GET', path);
  const page = await wire.call<Page>('Its lines', 'GET', `${path}/lines?limit=1`);
  await wire.call('The next', 'GET', `${path}/lines?limit=1&starting_after=${page.next_cursor}`);
  await wire.call('Its timeline', 'GET', `${path}/timeline`);
}

async function simulations(stage: Stage): Promise<void> {
  const { wire } = stage;
  const { card } = await cardWith(stage);
  const simulate = (title: string, name: string, body: object) =>
    wire.call<{ network_reference: string }>(title, 'POST', `/v1/simulations/card_${name}`, { body });
  const by = { card, currency: 'JOD', merchant: MERCHANT };
  const { network_reference } = await simulate('An authorization', 'authorizations', {
    ...by,
    ...{ amount: 4_000, entry_mode: 'chip', merchant: { ...MERCHANT, mcc: '7011' } },
  });
  await simulate('An increment', 'increments', { network_reference, amount: 500 });
  await simulate('A reversal', 'reversals', { network_reference, amount: 1_000 });
  await simulate('A clearing', 'clearings', { network_reference, amount: 3_500, currency: 'JOD' });
  await simulate('A refund', 'refunds', { network_reference, amount: 500, currency: 'JOD' });
  await simulate('A clearing of what was never authorized', 'forced_posts', { ...by, amount: 900 });
  await simulate('What the network decided', 'advices', {
    ...by,
    advice: { reason: 'stand_in', of: 'authorization', decision: 'approved', approved_amount: 700 },
  });
}

/** Of what the sandbox says in a processor's name. */
const filledIn = (name: string) => ({
  kind: name.replaceAll('_', ' '),
  form: new RegExp(`(?<="${name}": ?")[0-9a-z]{26}(?=")`, 'g'),
  example: (digest: Buffer) => digest.toString('hex').slice(0, 26),
});

export const transactionsOnWire: GroupOnWire = {
  scenes: [
    { file: 'transactions', play: transactions },
    { file: 'transaction-disputes', play: disputes },
    { file: 'scheme-settlements', play: settlements },
    { file: 'card-simulations', play: simulations },
  ],
  forms: [filledIn('message_reference'), filledIn('network_reference')],
  rows: playPurchases,
  async objects({ client, made }) {
    const account = made.account!;
    const { currency } = await client.read<{ currency: string }>(`/v1/accounts/${account}`);
    const { id: card } = await makeCard(client, { account });
    const { id: transaction } = await purchase(client, { card, amount: 100, currency });
    await tell(client, transaction, 'clear', { amount: 100, currency });
    const dispute = { reason: 'product_not_received' };
    const { id: transactionDispute } = succeeded(
      await client.post<TransactionDispute>(`/v1/transactions/${transaction}/disputes`, dispute),
    );
    const settled = succeeded(await client.post<Page>('/v1/simulations/scheme_settlements', {}));
    return { transaction, transactionDispute, schemeSettlement: settled.data[0]!.id };
  },
  bodies({ made: { card } }) {
    const authorization = { card, amount: 100, currency: 'JOD', merchant: MERCHANT, entry_mode: 'chip' };
    const { entry_mode: _, ...posting } = authorization;
    const { amount: __, ...common } = posting;
    const advice = { reason: 'stand_in', of: 'authorization', decision: 'approved', approved_amount: 100 };
    const named = { message_reference: 'msg-of-bodies', network_reference: 'net-of-bodies' };
    return {
      createTransaction: { ...authorization, ...named },
      createTransactionIncrement: { ...posting, ...named },
      createTransactionReversal: { ...posting, ...named },
      createTransactionClearing: { ...posting, ...named },
      createTransactionRefund: { ...posting, ...named },
      createTransactionAdvice: { ...common, ...named, advice },
      simulateCardAuthorization: authorization,
      simulateCardIncrement: posting,
      simulateCardReversal: posting,
      simulateCardClearing: posting,
      simulateCardForcedPost: posting,
      simulateCardRefund: posting,
      simulateCardAdvice: { ...common, advice },
    };
  },
};
