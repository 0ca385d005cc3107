import { succeeded } from '../../../../scripts/harness/client.ts';
import { openOwnAccount } from '../../../../src/journal/accounts/open-own-account.ts';
import { postEntry } from '../../../../src/journal/entries/post-entries.ts';
import { requestReversal } from '../../../../src/journal/entries/reverse-entry.ts';
import { closeBooks } from '../../../../src/journal/periods/close-books.ts';
import { endClose } from '../../../../src/journal/periods/end-close.ts';
import { reopenBooks } from '../../../../src/journal/periods/reopen-books.ts';
import { encodeActor } from '../../../../src/values/actor.ts';
import { newId, publicId } from '../../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../../support/book.ts';
import { checkpointIn, newSigningKey } from '../../../support/checkpoints.ts';
import { LATEST_FORMS } from '../../../support/forms.ts';
import { addPersonOf } from '../../../support/people.ts';
import { lookInto } from '../../../support/product.ts';
import type { GroupOnWire, Page, Stage } from './group.ts';

async function journal({ fund, keys, openAccount, product, wire }: Stage): Promise<void> {
  const { id: account } = await openAccount();
  const signing = newSigningKey();
  const checkpoint = async () =>
    publicId('checkpoint', (await checkpointIn(product.database, keys.testBookId, signing)).id);
  await wire.call('The journal', 'GET', '/v1/journal');
  await wire.call('Its time zone', 'PATCH', '/v1/journal', { body: { time_zone: 'Asia/Amman' } });
  await wire.call('No time zone', 'PATCH', '/v1/journal', { body: { time_zone: 'Mars/Phobos' } });
  await fund(account);
  await wire.call('Fixed by the first entry', 'PATCH', '/v1/journal', { body: { time_zone: 'UTC' } });
  const { data } = await wire.call<Page>('Entries', 'GET', '/v1/journal/entries');
  const entry = data[0]!.id;
  await wire.call('One', 'GET', `/v1/journal/entries/${entry}`);
  await wire.call('No proof yet', 'GET', `/v1/journal/entries/${entry}/proof`);
  const older = await checkpoint();
  await fund(account, 7);
  const newer = await checkpoint();
  await wire.call('A proof', 'GET', `/v1/journal/entries/${entry}/proof`);
  await wire.call('Checkpoints', 'GET', '/v1/journal/checkpoints');
  await wire.call('One', 'GET', `/v1/journal/checkpoints/${newer}`);
  await wire.call('From one to the next', 'GET', `/v1/journal/checkpoints/${newer}/consistency?from=${older}`);
  await wire.call('From nowhere', 'GET', `/v1/journal/checkpoints/${newer}/consistency`);
  await wire.call('Of nothing', 'GET', '/v1/journal/entries?resource=nothing');
}

interface Identified {
  id: string;
}

/** Entries that are asked for, and accounts of an own chart. */
async function manualEntries({ fund, openAccount, wire }: Stage): Promise<void> {
  const [{ id: from }, { id: to }] = [await openAccount(), await openAccount({ name: 'Landlord' })];
  await fund(from, 10_000);
  const entries = '/v1/journal/entries';
  const accounts = '/v1/journal/accounts';
  const moved = (debit: string, credit: string, amount: number, more: object = {}) => ({
    postings: [{ debit, credit, amount, currency: 'JOD' }],
    ...more,
  });
  const rent = moved(from, to, 5_124, {
    description: 'Rent for March',
    external_id: 'rent-3',
    metadata: { month: '3' },
  });
  await wire.call('To try', 'POST', `${entries}?dry_run=true`, { body: rent });
  const entry = await wire.call<Identified>('An entry', 'POST', entries, { body: rent });
  await wire.call('As it is', 'GET', `${entries}/${entry.id}`);
  await wire.call('More than there is', 'POST', entries, { body: moved(from, to, 4_877) });
  await wire.call('Not as expected', 'POST', entries, {
    body: moved(from, to, 1, { expect: [{ account: to, sequence: 7 }] }),
  });
  await wire.call('Of an earlier day', 'POST', entries, { body: moved(from, to, 1, { effective_on: '2026-01-31' }) });
  await wire.call('Of a day to come', 'POST', entries, { body: moved(from, to, 1, { effective_on: '2999-01-31' }) });
  await wire.call('Taken back', 'POST', `${entries}/${entry.id}/reverse`, { body: { description: 'Paid twice' } });
  await wire.call('Once more', 'POST', `${entries}/${entry.id}/reverse`);
  const hold = await wire.call<Identified>('A hold', 'POST', `/v1/accounts/${from}/holds`, { body: { amount: 900 } });
  const nobody = `${from.slice(0, -4)}0000`;
  await wire.call('From nobody', 'POST', entries, { body: moved(nobody, to, 1) });
  await wire.call('Captured in part', 'POST', entries, {
    body: { postings: [{ debit: from, credit: to, amount: 400, currency: 'JOD', hold: hold.id }] },
  });
  const account = { code: 'rent', name: 'Rent', type: 'expense', currency: 'JOD', external_id: 'gl-500' };
  const own = await wire.call<Identified>('An own account', 'POST', accounts, { body: account });
  await wire.call('The same code', 'POST', accounts, { body: account });
  const bank = await wire.call<Identified>('And another', 'POST', accounts, {
    body: { code: 'bank', name: 'Bank', type: 'asset', currency: 'JOD' },
  });
  await wire.call('Own with a customer', 'POST', entries, { body: moved(own.id, from, 1) });
  await wire.call('Together', 'POST', `${entries}/batches`, {
    body: { entries: [moved(own.id, bank.id, 700), moved(bank.id, own.id, 200)] },
  });
  await wire.call('Together, to try', 'POST', `${entries}/batches?dry_run=true`, {
    body: { entries: [moved(own.id, bank.id, 700)] },
  });
  await wire.call('One of them from nobody', 'POST', `${entries}/batches`, {
    body: { entries: [moved(own.id, bank.id, 700), moved(nobody, bank.id, 1)] },
  });
  await wire.call('Its balance', 'GET', `${accounts}/${own.id}/balance`);
  await wire.call('At the end of a day', 'GET', `${accounts}/${from}/balance?on=2026-01-31`);
  await wire.call('As posted by then', 'GET', `${accounts}/${from}/balance?on=2026-01-31&axis=posted`);
  const statements = `${accounts}/${from}/statements`;
  await wire.call('A statement of an account of the chart', 'GET', `${statements}?from=2026-01-01&to=2026-01-31`);
  await wire.call('At the end of a day to come', 'GET', `${accounts}/${from}/balance?on=2999-01-31`);
  await wire.call('Its lines', 'GET', `${accounts}/${own.id}/entries`);
  await wire.call('Own accounts', 'GET', `${accounts}?origin=own&code=rent`);
  await wire.call('One', 'GET', `${accounts}/${own.id}`);
  await wire.call('Renamed', 'PATCH', `${accounts}/${own.id}`, { body: { name: 'Rent and heating' } });
  await wire.call('Not empty', 'PATCH', `${accounts}/${own.id}`, { body: { status: 'archived' } });
  await wire.call('By reference', 'GET', `${entries}?external_id=rent-3`);
  await wire.call('By account and origin', 'GET', `${entries}?account=${to}&origin=manual&limit=1`);
}

/** Days that are closed, and opened again. */
async function periods({ fund, keys, openAccount, product, wire }: Stage): Promise<void> {
  const { pool } = product.runtime;
  const ada = await addPersonOf(pool, keys.testBookId, { name: 'Ada' });
  const ben = await addPersonOf(pool, keys.testBookId, { name: 'Ben' });
  const [{ id: from }, { id: to }] = [await openAccount(), await openAccount({ name: 'Landlord' })];
  await fund(from, 10_000);
  const of = '/v1/journal/periods';
  const close = (title: string, through: string, key?: string) =>
    wire.call<Identified>(title, 'POST', `${of}/close`, {
      body: { through, reason: 'January' },
      ...(key !== undefined && { key }),
    });
  await close('By a service', '2026-01-31');
  await close('A day to come', '2999-01-31', ada.key);
  const { id } = await close('Closed', '2026-01-31', ada.key);
  await wire.callWhen<{ id: string; status: string }>('Verified', `${of}/${id}`, ({ status }) => status === 'closed');
  await close('Once more', '2026-01-31', ada.key);
  await wire.call('Into a closed day', 'POST', '/v1/journal/entries', {
    body: { postings: [{ debit: from, credit: to, amount: 1, currency: 'JOD' }], effective_on: '2026-01-31' },
  });
  await wire.call('The journal', 'GET', '/v1/journal');
  const reason = 'The invoice of the landlord was missing.';
  await wire.call('Opened by who closed', 'POST', `${of}/reopen`, { body: { after: null, reason }, key: ada.key });
  await wire.call('Opened', 'POST', `${of}/reopen`, { body: { after: '2026-01-15', reason }, key: ben.key });
  await wire.call('Nothing behind it', 'POST', `${of}/reopen`, { body: { after: '2026-01-15', reason }, key: ben.key });
  await wire.call('Periods', 'GET', `${of}?status=reopened`);
  await wire.call('Its timeline', 'GET', `${of}/${id}/timeline`);
  await fund(from, 7);
  await differently(product, keys.testBookId, async () => {
    const refused = await close('A journal with a fault', '2026-01-31', ada.key);
    await wire.callWhen<{ status: string }>('Refused', `${of}/${refused.id}`, ({ status }) => status === 'refused');
  });
}

/** While the amounts of the last entry are others than its hash covers. */
async function differently({ database }: Stage['product'], bookId: string, play: () => Promise<void>): Promise<void> {
  const superuser = lookInto(database);
  const change = (by: number) =>
    superuser.query(
      `BEGIN; ALTER TABLE postings DISABLE TRIGGER USER;
      UPDATE postings SET amount = amount + ${by} WHERE book_id = '${bookId}' AND entry_sequence = 2;
      ALTER TABLE postings ENABLE TRIGGER USER; COMMIT`,
    );
  try {
    await change(1);
    await play();
    await change(-1);
  } finally {
    await superuser.end();
  }
}

/** A row of each table, in the forms of this version. */
async function rows(known: TestBook): Promise<void> {
  const book = await openBook({ database: known.pool, bookId: known.id, forms: LATEST_FORMS });
  const asked = { bookId: book.id, requestId: newId(), actor: 'test' };
  const open = async (code: string) => {
    const own = {
      code,
      name: code,
      type: 'asset',
      currency: 'EUR',
      floor: null,
      externalId: 'gl',
      metadata: {},
    } as const;
    const answer = await book.submit(openOwnAccount({ ...own, ...asked }));
    if (answer.refused) throw new Error(answer.refused);
    return answer.resourceId!;
  };
  const posting = { debit: await open('cash'), credit: await open('till'), amount: 5n, currency: 'EUR' };
  const answer = await book.submit(
    postEntry(asked, {
      ...{ postings: [posting], effectiveOn: '2026-01-05', description: 'Late', externalId: 'late' },
      ...{ metadata: { why: 'late' }, expect: [] },
    }),
  );
  if (answer.refused) throw new Error(answer.detail ?? answer.refused);
  const reversal = { ...asked, entryId: answer.resourceId!, description: null, idempotencyKey: null };
  const { command } = await requestReversal.prepare(
    { pool: book.pool } as Parameters<typeof requestReversal.prepare>[0],
    { ...reversal, fingerprint: Buffer.alloc(32) },
  );
  await book.submit(command);
  const [by, other] = [1, 2].map(() => encodeActor({ type: 'person', id: newId(), keyId: newId() }));
  const before = { closedThrough: null, pending: undefined, verified: { sequence: 0n, event: 0n } };
  const { requestId } = asked;
  await book.submit(closeBooks({ requestId, actor: by!, through: '2026-01-31', reason: 'January', before }));
  const { id } = await book.row<{ id: string }>('SELECT id FROM periods WHERE book_id = $1');
  await book.submit(endClose({ id, requestId }, { digest: '00', findings: [], findingsTotal: 0, openItems: [] }));
  const closed = { closedThrough: '2026-01-31', pending: undefined, behind: [{ id }] };
  await book.submit(reopenBooks({ requestId, actor: other!, after: null, reason: 'Late', before: closed }));
  await book.close();
}

export const journalOnWire: GroupOnWire = {
  scenes: [
    { file: 'journal', play: journal },
    { file: 'entries', play: manualEntries },
    { file: 'periods', play: periods },
  ],
  rows,
  forms: [
    { kind: 'day', form: /(?<=today is )\d{4}-\d{2}-\d{2}/g, numbered: false, example: () => '2026-03-04' },
    { kind: 'hash', form: /\b[0-9a-f]{64}\b/g, example: (digest) => digest.toString('hex', 0, 32) },
    { kind: 'signed', form: /"[A-Za-z0-9+/]{86}=="/g, example: (digest) => `"${digest.toString('base64')}"` },
    {
      kind: 'base64 of 32 bytes',
      form: /"[A-Za-z0-9+/]{43}="/g,
      example: (digest) => `"${digest.subarray(0, 32).toString('base64')}"`,
    },
  ],
  async objects({ client, product, keys }) {
    const open = async (code: string) =>
      succeeded(
        await client.post<Identified>('/v1/journal/accounts', { code, name: code, type: 'asset', currency: 'JOD' }),
      ).id;
    const [debit, credit] = [await open('cash'), await open('till')];
    const body = { postings: [{ debit, credit, amount: 1, currency: 'JOD' }] };
    const entry = succeeded(await client.post<Identified>('/v1/journal/entries', body)).id;
    const checkpoint = publicId('checkpoint', (await checkpointIn(product.database, keys.testBookId)).id);
    const ada = await addPersonOf(product.runtime.pool, keys.testBookId, { name: 'Ada' });
    // Before any bank account begins, whose statements would be missing.
    const close = { through: '2024-12-31' };
    const period = succeeded(await product.client(ada.key).post<Identified>('/v1/journal/periods/close', close)).id;
    return { entry, checkpoint, chartAccount: debit, period };
  },
};
