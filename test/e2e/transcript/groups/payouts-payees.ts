import { until } from '../../../../scripts/harness/client.ts';
import { createSecretBox } from '../../../../src/db/secret-box.ts';
import { inTransaction } from '../../../../src/db/transaction.ts';
import type { Stored } from '../../../../src/idempotency/idempotency-key.ts';
import { destinationReads } from '../../../../src/payouts/disclosures/destination-read-table.ts';
import { type PayeeRuntime, requestPayee } from '../../../../src/payouts/payees/save-payee.ts';
import { newId } from '../../../../src/values/ids.ts';
import type { TestBook } from '../../../support/book.ts';
import type { Transcript } from '../transcript.ts';
import type { GroupOnWire, Page, Stage } from './group.ts';

interface Payee {
  id: string;
}

interface Payout {
  id: string;
  status: string;
}

const IBAN = { type: 'iban', iban: 'JO94CBJO0010000000000131000302', name: 'Salma Haddad' };

const paidWhen = (wire: Transcript, title: string, id: string, status: string) =>
  wire.callWhen<{ status: string }>(title, `/v1/payouts/${id}`, (payout) => payout.status === status);

async function payees({ fund, openAccount, wire }: Stage): Promise<void> {
  const { id: account } = await openAccount();
  await fund(account);
  const pay = (title: string, destination: object) =>
    wire.call<{ id: string }>(title, 'POST', '/v1/payouts', {
      body: { account, amount: 10_000, currency: 'JOD', destination },
    });

  const { id } = await wire.call<Payee>('A payee', 'POST', '/v1/payees', {
    body: { name: 'Salma Haddad', destination: IBAN, external_id: 'supplier-7', metadata: { team: 'a' } },
  });
  const paid = await pay('A payout to it', { type: 'payee', payee: id });
  await paidWhen(wire, 'Paid', paid.id, 'paid');
  await wire.call('Where it went, in clear', 'GET', `/v1/payouts/${paid.id}/destination`);
  await wire.call('Another destination', 'PATCH', `/v1/payees/${id}`, {
    body: { destination: { type: 'cliq', alias: 'CLOSED' } },
  });
  await wire.call('In clear', 'GET', `/v1/payees/${id}/destination`);
  const failing = await pay('A payout to that', { type: 'payee', payee: id });
  await paidWhen(wire, 'Failed', failing.id, 'failed');
  await wire.call('Disabled by it', 'GET', `/v1/payees/${id}`);
  await pay('No payout to a disabled payee', { type: 'payee', payee: id });
  await wire.call('Enabled again', 'POST', `/v1/payees/${id}/enable`);
  await wire.call('Disabled', 'POST', `/v1/payees/${id}/disable`);
  await wire.call('Disabled already', 'POST', `/v1/payees/${id}/disable`);
  await wire.call<Page>('Payees', 'GET', '/v1/payees?external_id=supplier-7');
  await wire.call('Timeline', 'GET', `/v1/payees/${id}/timeline`);
}

async function destinations({ fund, keys, openAccount, product, wire }: Stage): Promise<void> {
  const { id: account } = await openAccount();
  await fund(account);
  const pay = async (title: string, destination: object) => {
    const { id, status } = await wire.call<Payout>(title, 'POST', '/v1/payouts', {
      body: { account, amount: 10_000, currency: 'JOD', destination },
    });
    // The order of events is the same in every run.
    const read = () => product.client(keys.testKey).read<Payout>(`/v1/payouts/${id}`);
    if (status === 'pending') await until(read, (payout) => payout.status === 'paid');
  };
  const resolve = (title: string, destination: object) =>
    wire.call<{ resolution: string | null }>(title, 'POST', '/v1/payouts/resolve', {
      body: { destination },
      idempotencyKey: null,
    });

  await wire.call('The rails of the book', 'GET', '/v1/rails');
  const found = await resolve('Who is behind an alias', { type: 'cliq', alias: 'SHOP1' });
  await pay('A payout to the account found', { type: 'cliq', alias: 'SHOP1', resolution: found.resolution });
  await resolve('Nobody', { type: 'cliq', alias: 'NOALIAS' });
  await resolve('Registered twice', { type: 'cliq', alias: 'PROVIDERS' });
  await resolve('A name that is nearly right', { ...IBAN, name: 'CLOSE' });
  await pay('A resolution of another alias', { type: 'cliq', alias: 'SHOP2', resolution: found.resolution });
  await pay('To a bank account', IBAN);
  await pay('With wrong check digits', { ...IBAN, iban: 'JO95CBJO0010000000000131000302' });
  await pay('To a wallet', { type: 'wallet', phone: '+962791234567', provider: 'ZAIN' });
  const token = await wire.call<{ id: string }>('A token', 'POST', '/v1/payments/tokens', {
    body: { card: { number: '4242424242424242', exp_month: 12, exp_year: 2034, cvc: '123' } },
  });
  await pay('To its card', { type: 'card', card: token.id });
  await pay('To the same token again', { type: 'card', card: token.id });
}

export const payeesOnWire: GroupOnWire = {
  scenes: [
    { file: 'payees', play: payees },
    { file: 'destinations', play: destinations },
  ],
  forms: [
    {
      kind: 'resolution',
      form: /\bA[g-v][A-Za-z0-9_-]{140,}/g,
      example: (digest) => `Ag${digest.toString('base64url')}`,
    },
  ],
  async objects({ client }) {
    const { id } = await client
      .post<Payee>('/v1/payees', { name: 'Salma Haddad', destination: IBAN })
      .then(({ body }) => body);
    return { payee: id };
  },
  rows: savedAndRead,
};

/** A payee, and a read of its destination. */
async function savedAndRead(book: TestBook): Promise<void> {
  const secretBox = createSecretBox(Buffer.alloc(32, 7).toString('base64'));
  const asked = { requestId: newId(), actor: 'test', idempotencyKey: null, fingerprint: Buffer.alloc(32) };
  const { command } = await requestPayee.prepare({ pool: book.pool, secretBox } as unknown as PayeeRuntime, {
    ...{ ...asked, bookId: book.id, name: 'Salma Haddad', externalId: 'supplier-7', metadata: { team: 'a' } },
    destination: { type: 'iban', iban: IBAN.iban, name: IBAN.name },
  });
  const answer = (await book.submit(command)) as Stored;
  const read = { object: 'payee', objectId: answer.resourceId!, actor: 'test', address: '127.0.0.1' } as const;
  await inTransaction(book.pool, (trx) =>
    destinationReads.append(trx, book.id, [{ id: newId(), ...read, createdAt: Date.now() }]),
  );
}
