/** Money that arrives: where a payer sends it, transfers, and credits that no account received. */
import { succeeded } from '../../../../scripts/harness/client.ts';
import { until } from '../../../../scripts/harness/until.ts';
import { findInboundTransfer } from '../../../../src/accounts/inbound-transfers/inbound-transfer-table.ts';
import { returnTransfer } from '../../../../src/inbound/arrivals/return-transfer.ts';
import { proposeWriteOff } from '../../../../src/inbound/write-offs/propose-write-off.ts';
import { operatorBooks } from '../../../../src/organisations/organisation-store.ts';
import { reportCredits } from '../../../../src/outside/credits/credit-store.ts';
import { encodeActor } from '../../../../src/values/actor.ts';
import { newId, parsePublicId, publicId } from '../../../../src/values/ids.ts';
import { addPersonOf, type TestPerson } from '../../../support/people.ts';
import type { Product } from '../../../support/product.ts';
import { TEST_SECRET_BOX } from '../../../support/secret-box.ts';
import type { GroupOnWire, Page, Stage } from './group.ts';

/** A credit that names no account, before the operator's people. */
async function unallocatedCredit({ runtime }: Product): Promise<TestPerson> {
  const { pool, secretBox, clock } = runtime;
  const bookId = (await operatorBooks(pool)).test;
  const bankReference = `NTRF-${newId()}`;
  await reportCredits(pool, { bookId, rail: 'example_bank', secretBox, now: clock.now() }, [
    {
      ...{ bankAccount: 'JO79CHSB0000000000000000000001', bankReference, place: bankReference },
      ...{ amount: 50_000n, currency: 'JOD', endToEndId: null, payerName: 'Jana Haddad', payerAccount: null },
      ...{ remittance: ['Invoice 7'], valueOn: null, bookedOn: null },
    },
  ]);
  await until(async () => {
    const { rowCount } = await pool.query(
      `SELECT FROM inbound_credits WHERE book_id = $1 AND bank_reference = $2 AND status = 'unallocated'`,
      [bookId, bankReference],
    );
    return rowCount === 1;
  });
  return addPersonOf(pool, bookId, { name: 'Olga', scopes: ['exceptions:read', 'exceptions:write'] });
}

async function moneyIn({ keys, openAccount, product, wire }: Stage): Promise<void> {
  const { id } = await openAccount();
  await wire.call('Where a payer sends it', 'GET', `/v1/accounts/${id}/receive_details`);
  await wire.call('The same again', 'GET', `/v1/accounts/${id}/receive_details`);
  await wire.call('Of no account', 'GET', `/v1/accounts/${id.slice(0, -4)}0000/receive_details`);
  const { id: transfer } = await wire.call('It arrives', 'POST', '/v1/simulations/inbound_transfers', {
    body: { account: id, amount: 50_000, currency: 'JOD', description: 'Opening balance' },
  });
  await wire.call('As it is', 'GET', `/v1/inbound_transfers/${transfer}`);
  await wire.call('Its event', 'GET', `/v1/events?object=${transfer}`);
  await wire.call('Timeline', 'GET', `/v1/inbound_transfers/${transfer}/timeline`);
  await wire.call('Of the account', 'GET', `/v1/inbound_transfers?account=${id}&status=received`);
  await wire.call('By what is unknown', 'GET', '/v1/inbound_transfers?status=lost&account=acct_1');
  await wire.call('Not there', 'GET', `/v1/inbound_transfers/${transfer.slice(0, -4)}0000`);

  const operator = await unallocatedCredit(product);
  const exceptions = await wire.call<Page>(
    'Credits that no account received',
    'GET',
    '/v1/exceptions?kind=inbound_unallocated',
    {
      key: operator.key,
    },
  );
  const one = `/v1/exceptions/${exceptions.data[0]!.id}`;
  const book = publicId('book', keys.testBookId);
  await wire.call('Given to no book', 'POST', `${one}/allocate`, {
    body: { book: `${book.slice(0, -4)}0000` },
    key: operator.key,
  });
  await wire.call('Given to a book', 'POST', `${one}/allocate`, { body: { book }, key: operator.key });
  await wire.call('Given again', 'POST', `${one}/allocate`, { body: { book }, key: operator.key });
  const { pool } = product.runtime;
  const ada = await addPersonOf(pool, keys.testBookId, { name: 'Ada' });
  const ben = await addPersonOf(pool, keys.testBookId, { name: 'Ben' });
  const waiting = await wire.call<Page>('What the book is asked', 'GET', '/v1/exceptions?kind=inbound_unallocated');
  const given = `/v1/exceptions/${waiting.data[0]!.id}`;
  await wire.call('Given to a person', 'POST', `${given}/assign`, { body: { person: ada.id } });
  await wire.call('To this account', 'POST', `${given}/move_to`, { body: { account: id }, key: ada.key });
  await wire.call('Approved by who said so', 'POST', `${given}/approve`, { body: { version: 3 }, key: ada.key });
  await wire.call('Approved', 'POST', `${given}/approve`, { body: { version: 3 }, key: ben.key });
  await wire.call('Balance', 'GET', `/v1/accounts/${id}/balance`);
  const { id: recalled } = await wire.call('Another arrives', 'POST', '/v1/simulations/inbound_transfers', {
    body: { account: id, amount: 7_000, currency: 'JOD' },
  });
  await recall(product, keys.testBookId, parsePublicId('inboundTransfer', recalled)!);
  await wire.call('Taken back by the bank', 'GET', `/v1/inbound_transfers/${recalled}`);
  await wire.call('Its events', 'GET', `/v1/events?object=${recalled}`);
}

/** As reconciliation books what a bank takes under the reference of its credit. */
async function recall({ runtime }: Product, bookId: string, id: string): Promise<void> {
  const transfer = (await findInboundTransfer(runtime.pool, bookId, id))!;
  const by = { requestId: newId(), actor: encodeActor({ type: 'system', part: 'reconciliation' }) };
  await runtime.committer.submit(bookId, returnTransfer({ bookId, transfer, ...by }));
}

export const inboundOnWire: GroupOnWire = {
  scenes: [{ file: 'money-in', play: moneyIn }],
  objects: async ({ client, keys, made: { account } }) => {
    const arrived = { account, amount: 1_000, currency: 'JOD' };
    const headers = { 'idempotency-key': newId() };
    const { id } = succeeded(
      await client.post<{ id: string }>('/v1/simulations/inbound_transfers', arrived, { headers }),
    );
    return { inboundTransfer: id, book: publicId('book', keys.testBookId) };
  },
  async rows(book) {
    const { id: bookId, pool, committer } = book;
    const credit = (amount: bigint, bankReference: string | null) => ({
      ...{ bankAccount: 'JO79CHSB', bankReference, place: newId(), amount, currency: 'JOD', endToEndId: 'E1' },
      ...{
        payerName: 'Jana Haddad',
        payerAccount: 'JO001',
        remittance: ['Invoice 7'],
        valueOn: '2026-11-03',
        bookedOn: null,
      },
    });
    const by = { bookId, rail: 'example_bank', secretBox: TEST_SECRET_BOX, now: Date.now() };
    await reportCredits(pool, by, [credit(1_000n, newId()), credit(2_000n, null)]);
    const owing = { accountId: await book.account(), currency: 'EUR', amount: 1_000n, owed: 1_000n, before: 0 };
    await proposeWriteOff({ committer }, { bookId, ofBook: bookId, ...owing });
  },
  bodies: ({ made: { book } }) => ({ allocateException: { book } }),
};
