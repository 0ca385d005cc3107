/** Cards, their controls and tokens, and the program. */
import { succeeded, until } from '../../../../scripts/harness/client.ts';
import { parsePublicId } from '../../../../src/values/ids.ts';
import { playCards } from '../../../support/card-scene.ts';
import { makeCard, SHIPPING } from '../../../support/cards.ts';
import type { Product } from '../../../support/product.ts';
import type { GroupOnWire, Page, Stage } from './group.ts';

interface Card {
  id: string;
  status: string;
  last_four: string | null;
}

const ada = { name: 'Ada Lovelace', reference: 'employee-7' };
const nobody = (id: string) => `${id.slice(0, -4)}0000`;

async function cards({ keys, product, openAccount, wire }: Stage): Promise<void> {
  const { id: account } = await openAccount();
  const make = (title: string, body: object = {}, call: object = {}) =>
    wire.call<Card>(title, 'POST', '/v1/cards', {
      body: { account, type: 'virtual', cardholder: ada, ...body },
      ...call,
    });
  const act = (title: string, { id }: Card, action: string, body?: object) =>
    wire.call<Card>(title, 'POST', `/v1/cards/${id}/${action}`, { body });

  const limits = [{ window: 'day', amount: 50_000 }];
  const card = await make(
    'A virtual card',
    { controls: { limits }, external_id: 'card-7' },
    { idempotencyKey: 'card' },
  );
  await make('The same key again', { controls: { limits }, external_id: 'card-7' }, { idempotencyKey: 'card' });
  await make('Another body', {}, { idempotencyKey: 'card' });
  const path = `/v1/cards/${card.id}`;
  const later = await make('Without waiting', {}, { headers: { prefer: 'respond-async' } });
  await wire.callWhen<Card>('It is issued', `/v1/cards/${later.id}`, ({ last_four }) => last_four !== null);
  await make('The processor refuses', { cardholder: { ...ada, reference: 'REFUSED' } });
  await make('A card that is sent nowhere', { type: 'physical' });
  await make('An account of nobody', { account: nobody(account) });
  await wire.call('Its number', 'GET', `${path}/details`);
  await wire.call('Its PIN', 'GET', `${path}/pin`);
  await wire.call('Who saw it', 'GET', `${path}/details/accesses?limit=1`);
  await wire.call('Another reference', 'PATCH', path, { body: { external_id: 'card-8', metadata: { team: 'blue' } } });
  await act('Frozen', card, 'freeze');
  await act('Frozen again', card, 'freeze');
  await act('Unfrozen', card, 'unfreeze');
  const plastic = await make('A physical card', { type: 'physical', shipping: SHIPPING });
  await act('On its way', plastic, 'ship');
  await act('Activated', plastic, 'activate');
  await act('No PIN to unblock', plastic, 'unblock_pin');
  await blockPin(product, plastic);
  await act('Its PIN is unblocked', plastic, 'unblock_pin');
  const renewed = await act('Renewed', plastic, 'replace', { reason: 'renewal' });
  await act('The new one is activated', renewed, 'activate');
  await wire.call('The one before it is closed', 'GET', `/v1/cards/${plastic.id}`);
  const next = await act('Lost', card, 'replace', { reason: 'lost' });
  await act('Lost again', card, 'replace', { reason: 'lost' });
  const stolen = await wire.call<Card>('Stolen, without waiting', 'POST', `/v1/cards/${later.id}/replace`, {
    body: { reason: 'stolen' },
    headers: { prefer: 'respond-async' },
  });
  // The order of what follows is the same in every run.
  const client = product.client(keys.testKey);
  await until(
    () => client.read<Card>(`/v1/cards/${stolen.id}`),
    ({ last_four }) => last_four !== null,
  );
  await until(
    () => client.read<Card>(`/v1/cards/${later.id}`),
    ({ status }) => status === 'closed',
  );
  await act('Closed', next, 'close');
  await wire.call('A closed card shows nothing', 'GET', `/v1/cards/${next.id}/details`);
  await wire.call('Its timeline', 'GET', `${path}/timeline`);
  await wire.call('The account stays open', 'POST', `/v1/accounts/${account}/close`);
  const page = await wire.call<Page>('A page', 'GET', '/v1/cards?status=active&limit=1');
  await wire.call('The next', 'GET', `/v1/cards?status=active&limit=1&starting_after=${page.next_cursor}`);
}

/** Wrong PINs are told by the messages of purchases: the row is written as one would. */
async function blockPin({ runtime }: Product, { id }: Card): Promise<void> {
  const cardId = parsePublicId('card', id);
  // A command that is under way would write the row as it was.
  const pending = "SELECT count(*)::integer AS count FROM card_operations WHERE card_id = $1 AND status = 'pending'";
  await until(
    async () => (await runtime.pool.query<{ count: number }>(pending, [cardId])).rows[0]!.count,
    (count) => count === 0,
  );
  await runtime.pool.query("UPDATE cards SET pin_status = 'blocked', pin_failures = 3 WHERE id = $1", [cardId]);
}

async function controls({ openAccount, wire }: Stage): Promise<void> {
  const { id: account } = await openAccount();
  const { id: card } = await wire.call<Card>('A card', 'POST', '/v1/cards', {
    body: { account, type: 'virtual', cardholder: ada },
  });
  const make = (title: string, body: object) =>
    wire.call<Card>(title, 'POST', '/v1/cards/controls', { body: { account, ...body } });
  const act = (title: string, { id }: Card, action: string) =>
    wire.call<Card>(title, 'POST', `/v1/cards/controls/${id}/${action}`);
  const content = {
    limits: [
      { window: 'authorization', amount: 100_000 },
      { window: 'day', count: 5, for: { kinds: ['cash'], mccs: ['6010', '6011'] } },
    ],
    mcc: { block: ['7995'] },
  };
  const first = await make('Controls of an account', content);
  await act('Tried out', first, 'shadow');
  await act('Activated', first, 'activate');
  const second = await make('Stricter ones', { ...content, cash: 'block', status: 'active' });
  await act('The older ones', first, 'activate');
  await wire.call('Read', 'GET', `/v1/cards/controls/${second.id}`);
  await act('Retired', second, 'retire');
  await act('Retired again', second, 'retire');
  await wire.call('Its timeline', 'GET', `/v1/cards/controls/${second.id}/timeline`);
  await make('Allowed and blocked at once', { mcc: { allow: ['5411'], block: ['7995'] } });
  await make('An MCC that does not exist', { mcc: { block: ['9998'] } });
  await make('Of nobody', { account: undefined });
  await wire.call('Of a card, at once', 'POST', `/v1/cards/${card}/controls`, {
    body: { limits: [{ window: 'day', amount: 50_000 }] },
  });
  await wire.call('Its versions', 'GET', `/v1/cards/${card}/controls`);
  const page = await wire.call<Page>('A page', 'GET', `/v1/cards/controls?account=${account}&limit=1`);
  await wire.call(
    'The next',
    'GET',
    `/v1/cards/controls?account=${account}&limit=1&starting_after=${page.next_cursor}`,
  );
}

async function program({ wire }: Stage): Promise<void> {
  const path = '/v1/cards/program';
  const update = (title: string, body: object, call: object = {}) => wire.call(title, 'PATCH', path, { body, ...call });
  await wire.call('The defaults', 'GET', path);
  await wire.call('No secret yet', 'POST', `${path}/roll_secret`);
  await update('Fees, and a time zone', { time_zone: 'Asia/Amman', fees: { cash: { fixed: 500, basis_points: 150 } } });
  const decision = { url: 'https://decisions.example/authorizations', default: 'decline' };
  await update('An endpoint that decides', { decision }, { idempotencyKey: 'program' });
  await update('The same key again', { decision }, { idempotencyKey: 'program' });
  await update('An address inside', { decision: { ...decision, url: 'https://10.0.0.1/' } });
  await update('A time zone of nowhere', { time_zone: 'Mars/Olympus' });
  await update('A stale one', { time_zone: 'UTC' }, { headers: { 'if-match': '"1"' } });
  await wire.call('Another secret', 'POST', `${path}/roll_secret`, { body: { overlap_seconds: 3_600 } });
  await wire.call('And another', 'POST', `${path}/roll_secret`, { body: { overlap_seconds: 3_600 } });
  await wire.call('As it is', 'GET', path);
}

async function tokens({ openAccount, wire }: Stage): Promise<void> {
  const { id: account } = await openAccount();
  const { id: card } = await wire.call<Card>('A card', 'POST', '/v1/cards', {
    body: { account, type: 'virtual', cardholder: ada },
  });
  const ask = (title: string, token_reference: string, body: object = {}) =>
    wire.call<Card>(title, 'POST', `/v1/cards/${card}/tokens`, {
      body: { token_reference, wallet: 'apple_pay', ...body },
    });
  const act = (title: string, { id }: Card, action: string) =>
    wire.call<Card>(title, 'POST', `/v1/cards/tokens/${id}/${action}`);
  const device = { type: 'phone', name: 'Phone of Ada' };
  const token = await ask('A wallet asks', 'DNITHE-1', { device, recommendation: 'verify', last_four: '0421' });
  await ask('Told again', 'DNITHE-1', { device, recommendation: 'verify', last_four: '0421' });
  await act('The cardholder is verified', token, 'verify');
  await act('Approved', token, 'approve');
  await act('Approved again', token, 'approve');
  await act('Suspended', token, 'suspend');
  await act('Resumed', token, 'resume');
  await act('Deactivated', token, 'deactivate');
  await act('Declined', await ask('Another', 'DNITHE-2', { wallet: 'merchant' }), 'decline');
  const simulated = { card, wallet: 'google_pay', token_reference: 'DNITHE-3' };
  await wire.call('Simulated', 'POST', '/v1/simulations/card_token_requests', { body: { card, wallet: 'google_pay' } });
  await wire.call('With a reference', 'POST', '/v1/simulations/card_token_requests', { body: simulated });
  await wire.call('Told again by it', 'POST', '/v1/simulations/card_token_requests', { body: simulated });
  await wire.call('Read', 'GET', `/v1/cards/tokens/${token.id}`);
  await wire.call('Its timeline', 'GET', `/v1/cards/tokens/${token.id}/timeline`);
  const page = await wire.call<Page>('A page', 'GET', `/v1/cards/${card}/tokens?limit=1`);
  await wire.call('The next', 'GET', `/v1/cards/${card}/tokens?limit=1&starting_after=${page.next_cursor}`);
}

/** A live card: what is shown of it stands on pages of its processor. */
async function live({ product, keys, wire }: Stage): Promise<void> {
  const scopes = ['*', 'cards:details'];
  const client = await product.clientWith({ bookId: keys.liveBookId, mode: 'live', scopes });
  const { key } = client;
  const { id: account } = await client.openAccount({ funds: 0 });
  const card = await wire.call<Card>('A live card', 'POST', '/v1/cards', {
    body: { account, type: 'virtual', cardholder: ada },
    key,
  });
  await wire.call('Its number', 'GET', `/v1/cards/${card.id}/details`, { key });
  await wire.call('Its PIN', 'GET', `/v1/cards/${card.id}/pin`, { key });
  await wire.call('A key without the scope', 'GET', `/v1/cards/${card.id}/pin`, { key: keys.liveKey });
}

/** Of a card that the sandbox has made; other cards are shown with a brand. */
const OF_CARD = '"network": ?"visa",\\s*"last_four": ?"[^"]*"';
const OF_DETAILS = '"number": ?"[^"]*",\\s*"cvc": ?"[^"]*"';

export const cardsOnWire: GroupOnWire = {
  scenes: [
    { file: 'cards', play: cards },
    { file: 'live-cards', play: live },
    { file: 'card-controls', play: controls },
    { file: 'card-program', play: program },
    { file: 'card-tokens', play: tokens },
  ],
  forms: [
    {
      kind: 'card number',
      form: /(?<="number": ?")400000\d{10}(?=",\s*"cvc")/g,
      example: () => '4000000000000002',
    },
    { kind: 'security code', form: /(?<="cvc": ?")\d{3}(?=",\s*"exp_month")/g, example: () => '123' },
    {
      kind: 'card reference',
      form: /(?<="card_reference": ?")(SBC|GWC)[0-9A-F]{22,24}(?=")/g,
      example: (digest) => `SBC${digest.toString('hex').slice(0, 24).toUpperCase()}`,
    },
    {
      kind: 'last four',
      form: /(?<="network": ?"visa",\s*"last_four": ?")\d{4}(?=")/g,
      example: (digest) => String(digest.readUInt16BE(0) % 10_000).padStart(4, '0'),
    },
    {
      kind: 'month of expiry',
      form: new RegExp(`(?<=(${OF_CARD}|${OF_DETAILS}),\\s*"exp_month": ?)\\d+`, 'g'),
      numbered: false,
      example: () => '3',
    },
    {
      kind: 'year of expiry',
      form: new RegExp(`(?<=(${OF_CARD}|${OF_DETAILS}),\\s*"exp_month": ?[^,]+,\\s*"exp_year": ?)\\d+`, 'g'),
      numbered: false,
      example: () => '2030',
    },
    {
      kind: 'page of a card',
      form: /(?<=\/card-pages\/)[\w-]{32}/g,
      example: (digest) => digest.toString('base64url').slice(0, 32),
    },
    {
      kind: 'token reference',
      form: /(?<="token_reference": ?")[0-9a-z]{26}(?=")/g,
      example: (digest) => digest.toString('hex').slice(0, 26),
    },
  ],
  rows: playCards,
  async objects({ client, made: { account } }) {
    const card = await makeCard(client, { account: account! });
    const controls = succeeded(await client.post<Card>(`/v1/cards/${card.id}/controls`, { cash: 'block' }));
    const token = succeeded(
      await client.post<Card>(`/v1/cards/${card.id}/tokens`, { token_reference: 'T-1', wallet: 'other' }),
    );
    // Who saw its number is listed.
    await client.read(`/v1/cards/${card.id}/details`);
    return { card: card.id, cardControls: controls.id, cardToken: token.id };
  },
  bodies: ({ made: { account, card } }) => ({
    createCard: { account, type: 'virtual', cardholder: ada },
    createCardControls: { account, cash: 'block' },
    simulateCardTokenRequest: { card, wallet: 'apple_pay' },
  }),
};
