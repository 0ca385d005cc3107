/** Tables whose rows are computed from others (a count, a list), as decisions read them. */
import { type Table, type TablePairs, WRITE_ORDER } from './table.ts';

export interface DerivedTableDeclaration<Row> extends Pick<Table<Row>, 'name' | 'load'> {
  readonly pairs?: Pick<TablePairs<Row>, 'idOf' | 'load'>;
  /** Commands change the row in their draft, for those behind them in the batch. Left out: a change is a bug. */
  readonly changesInDraft?: true;
}

export function derivedTable<Row>({ name, load, pairs, changesInDraft }: DerivedTableDeclaration<Row>): Table<Row> {
  const write = () =>
    changesInDraft ? Promise.resolve() : Promise.reject(new Error(`Rows of ${name} are computed, and only read`));
  const writes = { insert: write, update: write };
  return {
    name,
    writeOrder: WRITE_ORDER.resources,
    derived: true,
    load,
    ...writes,
    ...(pairs && { pairs: { ...pairs, ...writes } }),
  };
}
