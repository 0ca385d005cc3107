/** The columns of a statement's lines, as CSV. A credit on a customer's account is money in: its amount is positive. */
import type { Account } from '../../ledger/account/account.ts';
import { decimalOf } from '../../money/amount.ts';
import { formatInstant } from '../../values/clock.ts';
import type { CsvColumn } from '../../values/csv-writing.ts';
import { publicId, resourceReference } from '../../values/ids.ts';
import type { ShownLine } from '../lines/account-line-view.ts';

export interface StatementRow {
  readonly line: ShownLine;
  readonly account: Pick<Account, 'side'>;
}

const changeIn = ({ line: { direction, amount }, account: { side } }: StatementRow) =>
  direction === side ? amount : -amount;

const plain = (name: string, read: CsvColumn<StatementRow>['read']): CsvColumn<StatementRow> => ({
  ...{ name, is: 'plain', read },
});
const text = (name: string, read: CsvColumn<StatementRow>['read']): CsvColumn<StatementRow> => ({
  ...{ name, is: 'text', read },
});

/** What never changes once a line is posted. */
export const PLAIN_COLUMNS: readonly CsvColumn<StatementRow>[] = [
  plain('sequence', ({ line }) => line.line),
  plain('posted_at', ({ line }) => formatInstant(line.postedAt)),
  plain('posted_on', ({ line }) => line.postedOn),
  plain('effective_on', ({ line }) => line.effectiveOn),
  plain('occurred_on', ({ line }) => line.occurredOn),
  plain('kind', ({ line }) => line.kind),
  plain('step', ({ line }) => line.step),
  plain('direction', ({ line }) => line.direction),
  plain('amount', (row) => decimalOf(changeIn(row), row.line.currency)),
  plain('amount_minor', changeIn),
  plain('currency', ({ line }) => line.currency),
  plain('balance_after', ({ line }) => decimalOf(line.balanceAfter, line.currency)),
  plain('balance_after_minor', ({ line }) => line.balanceAfter),
  plain('counter_account', ({ line }) => publicId('account', line.counterAccountId)),
  plain('journal_entry', ({ line }) => publicId('entry', line.entryId)),
  plain('resource', ({ line }) => line.resource),
  plain('resource_id', ({ line }) => resourceReference(line.resource, line.resourceId)),
];

/** References and texts of the resource: they may be changed and erased. */
const TEXT_COLUMNS: readonly CsvColumn<StatementRow>[] = [
  text('external_id', ({ line }) => line.externalId),
  text('end_to_end_id', ({ line }) => line.endToEndId),
  text('counterparty', ({ line }) => line.counterparty),
  text('description', ({ line }) => line.description),
];

export const STATEMENT_COLUMNS: readonly CsvColumn<StatementRow>[] = [...PLAIN_COLUMNS, ...TEXT_COLUMNS];
