import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Product, startProduct } from '../support/product.ts';

let product: Product;
beforeAll(async () => {
  product = await startProduct({ backend: 'postgres' });
});
afterAll(() => product?.close());

test('everything that can be read after a payout', async () => {
  const { client } = await product.organisation();
  const account = await client.openAccount();
  const a = await client.requestPayout({ account: account.id, headers: { prefer: 'wait=5' } });
  console.log(a.status, a.headers, a.text);
  const paid = await client.payoutUntil(a.body.id, 'paid');
  for (const path of [`/v1/payouts/${paid.id}`, '/v1/payouts', `/v1/payouts/${paid.id}/returns`, `/v1/payouts/${paid.id}/timeline`, '/v1/accounts', `/v1/accounts/${account.id}/balance`, `/v1/accounts/${account.id}/entries`, `/v1/accounts/${account.id}/timeline`, '/v1/journal/entries', `/v1/journal/entries/${paid.journal_entries[0]}`, `/v1/journal/entries?resource=${paid.id}`, '/v1/events', `/v1/events?object=${paid.id}&type=payout.*`, '/v1/webhooks', '/v1/limits']) {
    const answer = await client.get(path);
    console.log(path, answer.status, answer.text.slice(0, 700));
    expect(answer.status).toBe(200);
  }
  const w = await client.post<any>('/v1/webhooks', { url: 'http://127.0.0.1:9/x' });
  console.log(w.status, w.text);
  for (const [m, p, b] of [['POST','/test'],['POST','/disable'],['POST','/enable'],['POST','/rotate_secret',{overlap_seconds:5}],['PATCH','',{events:['payout.paid']}],['GET','/deliveries'],['DELETE','']] as any) { const r = await client.send<any>(m, `/v1/webhooks/${w.body.id}${p}`, { body: b }); console.log(m, p, r.status, r.text.slice(0, 300)); }
});
