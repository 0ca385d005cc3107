/** A kept statement as a resource. It has no steps. */
import type { ShownResource } from '../../ledger/resources/resource.ts';
import { type StoredStatement, storedStatementView } from './stored-statement.ts';
import { accountStatements } from './stored-statement-table.ts';

export const statementResource: ShownResource<StoredStatement> = {
  name: 'statement',
  table: accountStatements,
  parent: { name: 'account', column: 'account_id' },
  events: ['statement.ready'],
  books: false,
  view: (statement, { livemode }) => storedStatementView(statement, livemode),
};
