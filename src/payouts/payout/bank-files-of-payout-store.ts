/** Which files of a bank reported a payout, read from the answers and notices that are kept as evidence. */
import { textArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BankFiles } from '../../group/bank-files.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';

/** The ids of a command's events count up in the digits behind these (idSequence). */
const COMMAND_DIGITS = 32;
const commandOf = (id: Uuid) => id.slice(0, COMMAND_DIGITS);

/** A rail that is asked once a day is asked less often before people end a payout. */
const ANSWERS_MAX = 1_000;

/**
 * By event: of answers and notices stored by the command that made it. The last ones, however often a rail was asked.
 * Indexes: rail_answers_by_payout, rail_answers_by_resource.
 */
export async function readBankFiles(
  db: Queryable,
  bookId: BookId,
  { id, events }: { readonly id: Uuid; readonly events: readonly Uuid[] },
): Promise<Map<Uuid, BankFiles>> {
  const { rows } = await db.query<{ command: string; sent: BankFiles['sent'] | null; reported: Reported | null }>({
    name: 'timeline.bank_files',
    text: `SELECT left(coalesce(command_id, id)::text, ${COMMAND_DIGITS}) AS command, answer -> 'sent_in' AS sent,
        answer -> 'reported_by' AS reported
      FROM (
        (SELECT id, command_id, answer FROM rail_answers WHERE book_id = $1 AND payout_id = $2 ORDER BY id DESC LIMIT ${ANSWERS_MAX})
        UNION ALL
        (SELECT id, command_id, answer FROM rail_answers WHERE book_id = $1 AND resource_id = $2 ORDER BY id DESC LIMIT ${ANSWERS_MAX})
      ) AS evidence
      WHERE (answer ? 'sent_in' OR answer -> 'reported_by' ? 'file')
        AND left(coalesce(command_id, id)::text, ${COMMAND_DIGITS}) = ANY ($3::text[])`,
    values: [bookId, id, textArray([...new Set(events.map(commandOf))])],
  });
  const byCommand = new Map(rows.map(({ command, ...files }) => [command, viewOf(files)]));
  return new Map(
    events.flatMap((event) => {
      const files = byCommand.get(commandOf(event));
      return files === undefined ? [] : [[event, files] as const];
    }),
  );
}

/** As the rail stores it: with the digest of the file too. */
type Reported = NonNullable<BankFiles['reported_by']> & { readonly sha256: string };

function viewOf({ sent, reported }: { sent: BankFiles['sent'] | null; reported: Reported | null }): BankFiles {
  return {
    ...(sent && { sent: { file: sent.file, message_id: sent.message_id, line: sent.line } }),
    ...(reported && { reported_by: { file: reported.file, line: reported.line } }),
  };
}
