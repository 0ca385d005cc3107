/**
 * Updates that write every row they name, or nothing. The server checks that, not the client: COMMIT may travel right
 * behind the update, and must find a failed transaction when a row was missing.
 */
import type { Transaction } from './pool.ts';
import { RowCountMismatch } from './postgres-errors.ts';

const DIVISION_BY_ZERO = '22012';

export interface ExactUpdate {
  name: string;
  /** An UPDATE without RETURNING. */
  text: string;
  values: readonly unknown[];
  /** How many rows the update must write. */
  rows: number;
}

/** Throws RowCountMismatch when the update writes another number of rows. */
export async function updateExactly(trx: Transaction, { name, text, values, rows }: ExactUpdate): Promise<void> {
  try {
    await trx.query({
      name,
      text: `WITH written AS (${text} RETURNING 1) SELECT 1 / (count(*) = $${values.length + 1}::bigint)::int FROM written`,
      values: [...values, rows],
    });
  } catch (error) {
    if ((error as { code?: unknown }).code !== DIVISION_BY_ZERO) throw error;
    throw new RowCountMismatch({ statement: name, expected: rows });
  }
}
