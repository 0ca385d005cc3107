import { createSecretBox } from '../../../../src/db/secret-box.ts';
import { requestBatchCancel } from '../../../../src/payouts/batches/act-on-batch.ts';
import { sealContent } from '../../../../src/payouts/batches/batch-item.ts';
import { beginUpload, insertItems } from '../../../../src/payouts/batches/batch-item-store.ts';
import { createBatch } from '../../../../src/payouts/batches/create-batch.ts';
import { UploadErrorsFile } from '../../../../src/payouts/batches/upload-errors.ts';
import { newId } from '../../../../src/values/ids.ts';
import type { TestBook } from '../../../support/book.ts';
import { addPersonOf } from '../../../support/people.ts';
import type { GroupOnWire, Page, Stage } from './group.ts';

interface Batch {
  id: string;
  status: string;
  version: number;
}

const BATCHES = '/v1/payouts/batches';
const item = (alias: string, change: object = {}) => ({
  amount: 5_124,
  currency: 'JOD',
  destination: { type: 'cliq', alias },
  ...change,
});

async function batches({ fund, keys, openAccount, product, wire }: Stage): Promise<void> {
  const ada = await addPersonOf(product.runtime.pool, keys.testBookId, { name: 'Ada' });
  const { id: account } = await openAccount();
  await fund(account);
  const upload = (title: string, body: object, call: object = {}, query = '') =>
    wire.call<Batch>(title, 'POST', `${BATCHES}${query}`, { body: { account, ...body }, ...call });
  const items = [item('SHOP1', { external_id: 'inv-17' }), item('NOALIAS', { external_id: '=2+3' })];

  await upload('A dry run', { items }, { idempotencyKey: null }, '?dry_run=true');
  const { id } = await upload('A batch', { items, external_id: 'salaries-11' }, { idempotencyKey: 'salaries' });
  await wire.callWhen<Batch>('Paid in part', `${BATCHES}/${id}`, ({ status }) => status === 'partially_completed');
  await upload('The same content again', { items });
  await wire.call('Its results', 'GET', `${BATCHES}/${id}/results.csv`);
  await wire.call('Its items', 'GET', `${BATCHES}/${id}/items?limit=1`);
  const faulty = await upload('Two faults', {
    items: [item('SHOP1', { amount: 1.5 }), item('SHOP1', { currency: 'XXX' })],
  });
  const { errors_csv } = faulty as Batch & { errors_csv: string };
  await wire.call('All of them', 'GET', errors_csv);
  await upload('No item', { items: [] });
  await upload('More than there is', { items: [item('SHOP1', { amount: 100_000_000 })] });

  const draft = await upload('A draft', { items: [item('SHOP2')], submit: false });
  await wire.call('Submitted', 'POST', `${BATCHES}/${draft.id}/submit`);
  await wire.callWhen<Batch>('Paid', `${BATCHES}/${draft.id}`, ({ status }) => status === 'completed');
  await wire.call('Submitted again', 'POST', `${BATCHES}/${draft.id}/submit`);
  const waiting = await upload('One that a person approves', { items: [item('SHOP3')], approval: 'required' });
  await wire.call('Approved by a service', 'POST', `${BATCHES}/${waiting.id}/approve`, { body: { version: 2 } });
  await wire.call('Approved', 'POST', `${BATCHES}/${waiting.id}/approve`, { body: { version: 2 }, key: ada.key });
  await wire.callWhen<Batch>('Paid too', `${BATCHES}/${waiting.id}`, ({ status }) => status === 'completed');
  const refused = await upload('Another one', { items: [item('SHOP4')], approval: 'required' });
  await wire.call('Rejected', 'POST', `${BATCHES}/${refused.id}/reject`, {
    body: { version: 2, reason: 'The list is that of last month.' },
    key: ada.key,
  });
  const bea = await addPersonOf(product.runtime.pool, keys.testBookId, { name: 'Bea' });
  const policy = '/v1/payouts/approval_policy';
  const above = [{ currency: 'JOD', amount: 9_000, approvals: 2 }];
  await wire.call('Two people approve above', 'PATCH', policy, { body: { above }, key: ada.key });
  await wire.call('In force', 'POST', `${policy}/approve`, { body: { version: 2 }, key: bea.key });
  const large = await upload('A large one', { items: [item('SHOP6'), item('SHOP7')] });
  await wire.call('The first approval', 'POST', `${BATCHES}/${large.id}/approve`, {
    body: { version: 2 },
    key: ada.key,
  });
  await wire.call('Canceled meanwhile', 'POST', `${BATCHES}/${large.id}/cancel`);
  const later = { items: [item('SHOP5')], scheduled_for: new Date(Date.now() + 3_600_000).toISOString() };
  const scheduled = await upload('One for later', later);
  await wire.call('Canceled', 'POST', `${BATCHES}/${scheduled.id}/cancel`);
  const unpayable = await upload('One of which nothing is paid', { items: [item('NOALIAS')] });
  await wire.callWhen<Batch>('Failed', `${BATCHES}/${unpayable.id}`, ({ status }) => status === 'failed');
  await wire.call<Page>('Batches', 'GET', `${BATCHES}?external_id=salaries-11`);
  await wire.call('Its timeline', 'GET', `${BATCHES}/${id}/timeline`);
}

export const batchesOnWire: GroupOnWire = {
  scenes: [{ file: 'payout-batches', play: batches }],
  async objects({ client, made: { account } }) {
    const { body } = await client.post<Batch>(BATCHES, { account, items: [item('SHOP9')] });
    return { payoutBatch: body.id };
  },
  async rows(book) {
    await uploadedAndCanceled(book);
    const secretBox = createSecretBox(Buffer.alloc(32, 7).toString('base64'));
    const file = new UploadErrorsFile(
      { pool: book.pool, clock: { now: Date.now }, secretBox },
      { bookId: book.id, batchId: newId() },
    );
    await file.add([{ code: 'parameter_invalid', param: '/rows/1/alias', detail: 'Expects an alias.' }]);
    await file.end();
  },
};

/** A batch with an item, what it was uploaded as, and the upload itself. */
async function uploadedAndCanceled(book: TestBook): Promise<void> {
  const secretBox = createSecretBox(Buffer.alloc(32, 7).toString('base64'));
  const accountId = await book.account({ currency: 'JOD', amount: 10_000n });
  const [batchId, payoutId] = [newId(), newId()];
  const asked = { bookId: book.id, requestId: newId(), actor: 'test' };
  await beginUpload(book.pool, book.id, { batchId, done: false, begunAt: Date.now() });
  const content = {
    ...{ destination: { type: 'account', accountId: newId() } as const, payee: null, rail: 'book' },
    ...{ description: null, remittance: null, purposeCode: null, metadata: {} },
  };
  await insertItems(book.pool, book.id, [
    {
      ...{ payoutId, batchId, rowNumber: 1, accountId, amount: 100n, fee: 0n, currency: 'JOD', externalId: null },
      endToEndId: 'CHEXAMPLEOFANITEMTHATISNEVERPAID000',
      contentSealed: sealContent(secretBox, { bookId: book.id, payoutId }, content),
    },
  ]);
  const command = createBatch({
    ...{ ...asked, batchId, sha256: '00'.repeat(32), items: 1, known: undefined, dryRun: false },
    totals: [{ currency: 'JOD', amount: 100n, fee: 0n }],
    payingAccounts: [{ accountId, currency: 'JOD', amount: 100n, holdId: newId(), isDefault: false }],
    ...{ places: new Map([[accountId, '/items/0/account']]), rails: ['book'], newPayees: false, configuration: null },
    ...{ isSubmitted: false, isApprovalRequested: false, allowsDuplicate: false, externalId: null, metadata: {} },
  });
  await book.submit(command);
  const of = { ...asked, idempotencyKey: null, fingerprint: Buffer.alloc(32), batchId };
  const canceled = await requestBatchCancel.prepare({ pool: book.pool } as never, of);
  await book.submit(canceled.command);
}
