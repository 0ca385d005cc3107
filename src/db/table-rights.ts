/**
 * The rights of a role on a table. An UPDATE is granted column by column: what a table declares as changing or sealed,
 * and what its stores maintain beside the noun. The database refuses an update of any other column.
 */

export interface TableRights {
  readonly reads: boolean;
  readonly inserts: boolean;
  /** Columns; empty where rows are never changed. `all` where the table itself is locked: LOCK TABLE asks for it. */
  readonly updates: readonly string[] | 'all';
  /** Of rows whose retention ends. Left out: rows are kept. */
  readonly deletes?: true;
}

export const READS: TableRights = { reads: true, inserts: false, updates: [] };
export const APPENDS: TableRights = { reads: true, inserts: true, updates: [] };
export const CLOSED: TableRights = { reads: false, inserts: false, updates: [] };

export function changes(...updates: string[]): TableRights {
  return { reads: true, inserts: true, updates };
}

/** The same, of a table whose rows have a retention. */
export function deletable(rights: TableRights): TableRights {
  return { ...rights, deletes: true };
}

interface Columns {
  readonly columns: readonly { readonly name: string; readonly changes?: true; readonly sealed?: true }[];
}

/** Of a declared table or log: the columns that change, those that are sealed again, and those that stores maintain. */
export function rightsOf({ columns }: Columns, maintained: readonly string[] = []): TableRights {
  const declared = columns.filter((column) => column.changes || column.sealed).map(({ name }) => name);
  return changes(...new Set([...declared, ...maintained]));
}

/** The privileges of GRANT, in SQL. Names of columns are our own, so they are not quoted. */
export function privileges({ reads, inserts, updates, deletes }: TableRights): string[] {
  return [
    ...(reads ? ['SELECT'] : []),
    ...(inserts ? ['INSERT'] : []),
    ...(deletes ? ['DELETE'] : []),
    ...(updates === 'all' ? ['UPDATE'] : updates.length > 0 ? [`UPDATE (${updates.join(', ')})`] : []),
  ];
}
