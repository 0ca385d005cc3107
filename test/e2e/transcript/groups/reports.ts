/** Reports: asked for, written and downloaded. */
import { succeeded } from '../../../../scripts/harness/client.ts';
import { type ReportParameters, requestReport } from '../../../../src/reports/report/request-report.ts';
import { ReportWriting } from '../../../../src/reports/report/write-report.ts';
import { newId } from '../../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../../support/book.ts';
import { LATEST_FORMS } from '../../../support/forms.ts';
import { TEST_SECRET_BOX } from '../../../support/secret-box.ts';
import type { GroupOnWire, Stage } from './group.ts';

interface Shown {
  id: string;
  status: string;
  through_sequence: number;
}

const REPORTS = '/v1/reports';
/** Days on which nothing is posted, and on which an entry takes effect. */
const DAY = '2026-01-31';

async function reports({ fund, openAccount, wire }: Stage): Promise<void> {
  const [{ id: from }, { id: to }] = [await openAccount(), await openAccount({ name: 'Landlord' })];
  await fund(from, 10_000);
  await wire.call('An entry of January', 'POST', '/v1/journal/entries', {
    body: { postings: [{ debit: from, credit: to, amount: 5_124, currency: 'JOD' }], effective_on: DAY },
  });
  await wire.call('What there is', 'GET', `${REPORTS}/types`);
  const ask = (title: string, body: object, call: object = {}) =>
    wire.call<Shown>(title, 'POST', REPORTS, { body: { format: 'csv', ...body }, ...call });
  const trial = { type: 'trial_balance', as_of: DAY };
  const { id } = await ask('A trial balance', trial, { idempotencyKey: 'january' });
  const isWritten = ({ status }: Shown) => status === 'succeeded';
  const report = await wire.callWhen<Shown>('Written', `${REPORTS}/${id}`, isWritten);
  await wire.call('Its file', 'GET', `${REPORTS}/${id}/content`);
  await ask('The same figures as JSON', {
    ...{ type: 'account_activity', from: '2026-01-01', to: DAY, format: 'json', currency: 'JOD' },
    through_sequence: report.through_sequence,
  });
  const ledger = { type: 'general_ledger', from: '2026-01-01', to: DAY };
  await ask('The ledger of an account by day', { ...ledger, account: from, detail: 'day' });
  const days = { from: '2026-01-01', to: DAY };
  await ask('The ledger by days of effect', { ...ledger, account: from, axis: 'effective' });
  const statement = { type: 'statement', ...days, account: from, format: 'camt053' };
  const { id: statementId } = await ask('A statement for a bank', statement);
  await wire.callWhen<Shown>('The statement is written', `${REPORTS}/${statementId}`, isWritten);
  await ask('A statement of no account', { type: 'statement', ...days });
  await ask('A form that it has not', { ...trial, format: 'pdf' });
  await ask("A report of the operator's", { type: 'bank_reconciliation', as_of: DAY });
  await ask('A currency of all', { type: 'match_rates', ...days, currency: 'JOD' });
  await ask('An account of a report of all', { ...trial, account: from });
  await ask('A detail that it has not', { ...trial, detail: 'day' });
  await ask('An account that is not there', { ...ledger, account: from.replace(/.{4}$/, '0000') });
  await ask('A day to come', { ...trial, as_of: '2999-01-31' });
  await ask('No day', { type: 'trial_balance' });
  await ask('Days of a report as of one', { ...trial, from: DAY });
  await ask('From after to', { type: 'income_statement', from: DAY, to: '2026-01-01' });
  await ask('An axis that it has not', { type: 'open_items', as_of: DAY, axis: 'effective' });
  await ask('An entry that is not there', { ...trial, through_sequence: 999 });
  await ask('A mark before JSON', { ...trial, format: 'json', bom: true });
  await wire.call('Reports', 'GET', `${REPORTS}?type=trial_balance&status=succeeded`);
}

/** A row of each table, in the forms of this version. */
async function rows(known: TestBook): Promise<void> {
  const book = await openBook({ database: known.pool, bookId: known.id, forms: LATEST_FORMS });
  const parameters: ReportParameters = {
    ...{ type: 'trial_balance', from: DAY, to: DAY, axis: 'effective', currency: null, format: 'csv' },
    ...{ accountId: null, detail: null },
    ...{ bom: false, throughSequence: undefined },
  };
  const asked = { bookId: book.id, requestId: newId(), actor: 'test', idempotencyKey: null };
  const { command } = await requestReport.prepare({ pool: book.pool } as Parameters<typeof requestReport.prepare>[0], {
    ...asked,
    fingerprint: Buffer.alloc(32),
    parameters,
  });
  const { resourceId } = (await book.submit(command)) as { resourceId: string };
  const writing = new ReportWriting({
    ...{ pool: book.pool, committer: book.committer, clock: { now: () => Date.now() }, secretBox: TEST_SECRET_BOX },
    ...{ lineTexts: () => Promise.resolve([]), operatorReports: [] },
    rowFailed: (_, __, error) => Promise.reject(error),
  });
  await writing.write(book.id, [resourceId]);
  await book.close();
}

export const reportsOnWire: GroupOnWire = {
  scenes: [{ file: 'reports', play: reports }],
  rows,
  async objects({ client }) {
    const body = { type: 'trial_balance', as_of: DAY, format: 'csv' };
    return { report: succeeded(await client.post<Shown>(REPORTS, body)).id };
  },
};
