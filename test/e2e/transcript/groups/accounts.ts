import { openAccount } from '../../../../src/accounts/account/open-account.ts';
import { newId, parsePublicId } from '../../../../src/values/ids.ts';
import { stored } from '../../../support/book.ts';
import { makeStatement } from '../../../support/statements.ts';
import type { GroupOnWire, Page, Stage } from './group.ts';

async function accounts({ fund, openAccount, wire }: Stage): Promise<void> {
  const { id } = await openAccount({ external_id: 'main', metadata: { team: 'ops' }, overdraft_limit: 5_000 });
  const other = await openAccount({ name: 'Second', currency: 'EUR' });
  await fund(id);
  await wire.call('No such currency, no name, an unknown member', 'POST', '/v1/accounts', {
    body: { currency: 'XXY', surplus: 1, metadata: { a: 1 } },
  });
  await wire.call('A float', 'POST', '/v1/accounts', {
    body: { currency: 'JOD', name: 'Float', overdraft_limit: 1.5 },
  });
  await wire.call('Beyond the ceiling', 'POST', '/v1/accounts', {
    body: { currency: 'JOD', name: 'Too far', overdraft_limit: 9_000_000_000_000_000 },
  });
  await wire.call('As it is', 'GET', `/v1/accounts/${id}`);
  await wire.call('Not there', 'GET', `/v1/accounts/${id.slice(0, -4)}0000`);
  await wire.call('Not an id', 'GET', '/v1/accounts/acct_1');
  await wire.call('A new name', 'PATCH', `/v1/accounts/${id}`, { body: { name: 'Operating', metadata: {} } });
  await wire.call('A version that is over', 'PATCH', `/v1/accounts/${id}`, {
    body: { name: 'Late' },
    headers: { 'if-match': '"1"' },
  });
  await wire.call('Nothing to change', 'PATCH', `/v1/accounts/${id}`, { body: {} });
  await wire.call('An alert of a low balance', 'PATCH', `/v1/accounts/${id}`, {
    body: { low_balance_alert: { available_below: 4_000 } },
  });
  await wire.call('An alert below nothing', 'PATCH', `/v1/accounts/${id}`, {
    body: { low_balance_alert: { available_below: -1, above: 1 } },
  });
  const hold = await wire.call<{ id: string }>('Little is left', 'POST', `/v1/accounts/${id}/holds`, {
    body: { amount: 997_000 },
  });
  await wire.call('It is told', 'GET', '/v1/events?type=account.balance_low');
  await wire.call('Given back', 'POST', `/v1/accounts/${id}/holds/${hold.id}/release`);
  await wire.call('No alert', 'PATCH', `/v1/accounts/${id}`, { body: { low_balance_alert: null } });
  await wire.call('Balance', 'GET', `/v1/accounts/${id}/balance`);
  await wire.call('Balance of before', 'GET', `/v1/accounts/${id}/balance?at=2026-01-01T00:00:00Z`);
  await wire.call('Balance at no time', 'GET', `/v1/accounts/${id}/balance?at=yesterday`);
  await fund(id, 5);
  const lines = await wire.call<Page>('One line', 'GET', `/v1/accounts/${id}/entries?limit=1`);
  await wire.call('The next', 'GET', `/v1/accounts/${id}/entries?limit=1&starting_after=${lines.next_cursor}`);
  await wire.call('And back', 'GET', `/v1/accounts/${id}/entries?limit=1&ending_before=1`);
  await wire.call('By kind and day', 'GET', `/v1/accounts/${id}/entries?kind=payout_fee&posted_on[gte]=2026-01-01`);
  await wire.call(
    'Days out of order',
    'GET',
    `/v1/accounts/${id}/entries?posted_on[gte]=2026-02-01&posted_on[lte]=2026-01-01`,
  );
  const statements = `/v1/accounts/${id}/statements`;
  await wire.call('A month', 'GET', `${statements}?from=2026-01-01&to=2026-01-31`);
  await wire.call('A month as CSV', 'GET', `${statements}?from=2026-01-01&to=2026-01-31&format=csv`);
  await wire.call('A month as camt.053', 'GET', `${statements}?from=2026-01-01&to=2026-01-31&format=camt053`);
  await wire.call('A statement to come', 'GET', `${statements}?from=2026-01-01&to=2999-01-31&format=csv&bom=true`);
  await wire.call('Of no days', 'GET', `${statements}?from=2026-02-29&format=pdf&bom=true`);
  await wire.call('Timeline', 'GET', `/v1/accounts/${id}/timeline`);
  await wire.call('Frozen', 'POST', `/v1/accounts/${id}/freeze`);
  await wire.call('Frozen again', 'POST', `/v1/accounts/${id}/freeze`);
  await wire.call('Unfrozen', 'POST', `/v1/accounts/${id}/unfreeze`);
  await wire.call('Closed, with money in it', 'POST', `/v1/accounts/${id}/close`);
  await wire.call('Closed', 'POST', `/v1/accounts/${other.id}/close`);
  await wire.call('All', 'GET', '/v1/accounts');
  await wire.call('One', 'GET', '/v1/accounts?limit=1');
  await wire.call('Behind it', 'GET', `/v1/accounts?limit=1&starting_after=${other.id}`);
  await wire.call('By status and currency', 'GET', '/v1/accounts?status=closed&currency=EUR');
  await wire.call('By external id', 'GET', '/v1/accounts?external_id=main');
  await wire.call('By metadata', 'GET', '/v1/accounts?metadata[team]=none');
  await wire.call(
    'By time',
    'GET',
    '/v1/accounts?created_at[gte]=2026-01-01T00:00:00Z&created_at[lt]=2026-01-02T00:00:00Z',
  );
  await wire.call('By what is unknown', 'GET', '/v1/accounts?state=open&limit=0&created_at[gte]=never');
}

/** Statements that are made by themselves. */
async function statements({ fund, openAccount, wire }: Stage): Promise<void> {
  const { id } = await openAccount({ statement_schedule: 'daily', low_balance_alert: { available_below: 10_000 } });
  await fund(id);
  const path = `/v1/accounts/${id}/statements`;
  await wire.call('None yet', 'GET', path);
  await wire.call('No such schedule', 'PATCH', `/v1/accounts/${id}`, { body: { statement_schedule: 'weekly' } });
  await wire.call('A day on', 'POST', '/v1/simulations/clock/advance', { body: { by: 'P1D' } });
  await wire.callWhen<{ status: string }>('It is there', '/v1/simulations/clock', ({ status }) => status === 'idle');
  const made = await wire.call<Page>('The day has its statement', 'GET', path);
  const one = `${path}/${made.data[0]!.id}`;
  await wire.call('It', 'GET', one);
  await wire.call('It is told', 'GET', '/v1/events?type=statement.ready');
  await wire.call('With its lines', 'GET', `${one}/content`);
  await wire.call('A mark for spreadsheets', 'GET', `${one}/content?format=pdf&bom=true`);
  await wire.call('In no form', 'GET', `${one}/content?format=mt940`);
  await wire.call('Pages of days', 'GET', `${path}?from=2026-01-01&to=2026-01-31&starting_after=${made.data[0]!.id}`);
  await wire.call(
    'Of another account',
    'GET',
    `/v1/accounts/${(await openAccount()).id}/statements/${made.data[0]!.id}`,
  );
  await wire.call('Each month', 'PATCH', `/v1/accounts/${id}`, { body: { statement_schedule: 'monthly' } });
  await wire.call('None any more', 'PATCH', `/v1/accounts/${id}`, { body: { statement_schedule: 'none' } });
}

export const accountsOnWire: GroupOnWire = {
  // The day of a line.
  forms: [
    {
      kind: 'day of effect',
      form: /(?<="effective_at":\s?"[^"]*",\s*"effective_on":\s?")\d{4}-\d{2}-\d{2}/g,
      numbered: false,
      example: () => '2026-03-02',
    },
    {
      kind: 'digest',
      form: /(?<="digest":\s?")[0-9a-f]{64}|(?<=statement-digest: )[0-9a-f]{64}|(?<=<(Msg)?Id>)[0-9a-f]{32}/g,
      example: (digest) => digest.toString('hex').slice(0, 64),
    },
    {
      kind: 'day of a statement',
      form: /(?<="(?:account|number)":\s?[^,]*,\s*"from":\s?")\d{4}-\d{2}-\d{2}|(?<="(?:account|number)":\s?[^,]*,\s*"from":\s?"[^"]*",\s*"to":\s?")\d{4}-\d{2}-\d{2}/g,
      numbered: false,
      example: () => '2026-03-02',
    },
  ],
  scenes: [
    { file: 'accounts', play: accounts },
    { file: 'statements', play: statements },
  ],
  async objects({ client, product: { runtime }, keys: { testBookId: bookId } }) {
    const { id } = await client.openAccount({ statement_schedule: 'daily' });
    await makeStatement({ ...runtime, bookId }, parsePublicId('account', id)!);
    const { data } = await client.read<Page>(`/v1/accounts/${id}/statements`);
    return { account: id, statement: data[0]!.id };
  },
  async rows(book) {
    const opening = { currency: 'EUR', name: 'Till', overdraftLimit: 0n, externalId: null, metadata: {} };
    const opened = openAccount({ ...opening, statementSchedule: 'daily', requestId: newId(), actor: 'test' });
    await makeStatement({ ...book, bookId: book.id }, (await book.submit(stored(opened))).resourceId!);
  },
};
