/**
 * Checks entries that were asked for by API: each row is of its entry, joins accounts of one origin, and a reversal takes back exactly
 * what the entry moved that it names, once.
 */
import { dayOf } from '../../../calendar/day.ts';
import type { CheckContext } from '../../../group/check-context.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { behindNewIds } from '../../../group/until.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import { MANUAL } from '../manual-entry.ts';
import { type ManualEntryRow, readManualEntries, readManualEntriesById } from './manual-entry-check-store.ts';

export const manualEntryCheck: RowCheck<ManualEntryRow, Uuid> = {
  name: 'manual entries',
  pageRows: 500,
  read: ({ pool, book }, page) => readManualEntries(pool, book.id, page),
  readByIds: ({ pool, book }, ids) => readManualEntriesById(pool, book.id, ids),
  check: checkManualEntry,
  placeOf: ({ id }, until) => behindNewIds(id, until),
};

function checkManualEntry({ report }: CheckContext, row: ManualEntryRow): void {
  const ids = { entry: publicId('entry', row.id), sequence: `${row.sequence}` };
  if (row.entryId !== row.id || row.resource !== MANUAL.resource || row.resourceId !== row.id) {
    report({
      check: 'manual_entry.entry',
      ids,
      expected: `${row.id}, a step of itself`,
      actual: row.entryId === null ? 'no entry' : `${row.entryId}, a step of ${row.resource} ${row.resourceId}`,
      detail: 'The row of an entry that was asked for is not of the entry with its sequence.',
    });
    return;
  }
  if (row.joined !== null)
    report({
      check: 'manual_entry.origins',
      ids,
      expected: "customers' accounts, or own accounts",
      actual: row.joined,
      detail: 'An entry that was asked for joins accounts that it must not join.',
    });
  checkDays(report, row, ids);
  if (row.reverses === null) return;
  if (row.opposite !== row.original)
    report({
      check: 'manual_entry.mirror',
      ids,
      expected: row.original ?? 'an entry that it reverses',
      actual: row.opposite ?? 'none',
      detail: 'A reversal does not take back what the entry moved that it reverses.',
    });
  if (row.reversedBy !== row.id)
    report({
      check: 'manual_entry.reversed_once',
      ids,
      expected: `${row.id}`,
      actual: row.reversedBy ?? 'none',
      detail: 'The row of the entry that it reverses names another reversal.',
    });
}

/** An entry that was asked for is refused on a closed day. The log has its lines where it takes effect on another day than it was posted on. */
function checkDays(report: CheckContext['report'], row: ManualEntryRow, ids: Readonly<Record<string, string>>): void {
  if (row.occurredOn !== null)
    report({
      check: 'manual_entry.closed_day',
      ids,
      expected: 'a day that was open',
      actual: row.occurredOn,
      detail: 'An entry that was asked for is of a day that was closed before, and was moved to an open one.',
    });
  const [postedOn, effectiveOn] = [dayOf(row.postedAt!, row.timeZone), dayOf(row.effectiveAt!, row.timeZone)];
  const lines = postedOn === effectiveOn ? [] : (row.lines?.split(',') ?? []);
  const expected = lines.map((line) => `${line} ${postedOn} ${effectiveOn}`).join(',');
  if (expected === (row.logged ?? '')) return;
  report({
    check: 'manual_entry.effective_lines',
    ids,
    expected: expected || 'none',
    actual: row.logged ?? 'none',
    detail: 'The log of effective days does not have the lines of the entry as the journal has them.',
  });
}
