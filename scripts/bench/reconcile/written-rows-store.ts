/**
 * The rows that mirroring payouts writes, and those that a bank's file writes, in the order of their foreign keys: for their ceilings
 * (prepared-rows-store.ts). `$1` is the operator's book, `$2` the run. Each row is written once, as it is at the end.
 */
import type { TableRows } from '../prepared-rows-store.ts';
import type { Mark } from './matched-lines-store.ts';

/** What the rows of a file refer to. */
export const BEFORE: readonly TableRows[] = [{ table: 'bank_accounts', where: 'book_id = $1', orderBy: 'id' }];

function journalOf(from: Mark, to: Mark): TableRows[] {
  const entries = `book_id = $1 AND sequence > ${from.entry} AND sequence <= ${to.entry}`;
  return [
    { table: 'entries', where: entries, orderBy: 'sequence' },
    {
      table: 'postings',
      where: `book_id = $1 AND entry_sequence > ${from.entry} AND entry_sequence <= ${to.entry}`,
      orderBy: 'entry_sequence, ordinal',
    },
    {
      table: 'events',
      where: `book_id = $1 AND sequence > ${from.event} AND sequence <= ${to.event}`,
      orderBy: 'sequence',
    },
  ];
}

/** Between two places of the journal. */
export function mirroredRows(from: Mark, to: Mark): TableRows[] {
  const entries = `SELECT id FROM entries WHERE book_id = $1 AND sequence > ${from.entry} AND sequence <= ${to.entry}`;
  return [
    ...journalOf(from, to),
    {
      table: 'expected_items',
      where: `book_id = $1 AND entry_id IN (${entries})`,
      orderBy: 'id',
    },
    {
      table: 'book_mirror',
      where: `book_id = $1 AND (entry_ids ->> 0)::uuid IN (${entries})`,
      orderBy: 'id',
    },
  ];
}

const FILE = 'book_id = $1 AND sha256 = (SELECT sha256 FROM reconciliations WHERE book_id = $1 AND id = $2)';
const STATEMENTS =
  'book_id = $1 AND statement_id IN (SELECT id FROM bank_statements WHERE book_id = $1 AND reconciliation_id = $2)';
const REQUEST = '(SELECT request_id FROM reconciliations WHERE book_id = $1 AND id = $2)';
const MATCHES = `book_id = $1 AND request_id = ${REQUEST}`;

export function fileRows(from: Mark, to: Mark): TableRows[] {
  return [
    { table: 'intake_files', where: FILE, orderBy: 'sha256' },
    { table: 'intake_file_parts', where: FILE, orderBy: 'place' },
    { table: 'reconciliations', where: 'book_id = $1 AND id = $2', orderBy: 'id' },
    { table: 'bank_statements', where: 'book_id = $1 AND reconciliation_id = $2', orderBy: 'id' },
    { table: 'bank_statement_identities', where: STATEMENTS, orderBy: 'identity' },
    { table: 'bank_lines', where: STATEMENTS, orderBy: 'place' },
    ...journalOf(from, to),
    { table: 'bank_matches', where: MATCHES, orderBy: 'id' },
    {
      table: 'expected_items',
      where: `book_id = $1 AND id IN (SELECT (item ->> 'id')::uuid
        FROM bank_matches, jsonb_array_elements(items) AS item WHERE ${MATCHES})`,
      orderBy: 'id',
      changes: ['amount_open', 'status', 'bank_account_id'],
    },
  ];
}
