/**
 * Checks write-offs: each is before people, two of them have approved it before it is booked, and its transfer is what it states. What the transfer
 * booked is compared by a check of its own (accounts/checks), and what the mirror booked on credit_losses by that of the mirror.
 */
import type { CheckContext } from '../../../group/check-context.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { parseActor } from '../../../values/actor.ts';
import { BEFORE_ALL_IDS, publicId, type Uuid } from '../../../values/ids.ts';
import { readWriteOffHistories, type WriteOffHistory } from './write-off-check-store.ts';

/** Few, and each changes long after its id was made: the audit reads all of them. */
export const writeOffCheck: RowCheck<WriteOffHistory, Uuid> = {
  name: 'write-offs',
  pageRows: 100,
  read: ({ pool, book }, { after, limit }) =>
    readWriteOffHistories(pool, book.id, { after: after ?? BEFORE_ALL_IDS, limit }),
  check: checkWriteOff,
  placeOf: ({ writeOff }) => writeOff.id,
};

function checkWriteOff({ report }: CheckContext, { writeOff, exception, transfer }: WriteOffHistory): void {
  const { id, ofBook, accountId, currency, amount, status, bookedAmount } = writeOff;
  const ids = { write_off: id, of_book: publicId('book', ofBook), account: publicId('account', accountId) };
  const find = (check: `write_off.${string}`, expected: string, actual: string, detail: string) => {
    if (expected !== actual) report({ check, ids, expected, actual, detail });
  };
  if (transfer !== null || status === 'approved' || status === 'booked')
    find(
      'write_off.approved',
      'approved by a second person',
      approvalOf(exception),
      'It is booked, or may be, and two persons have not approved it.',
    );
  const moved = transfer === null ? 'nothing' : `${transfer.amount} ${transfer.currency} to ${transfer.accountId}`;
  // Booked in the customer's book, and not stated here yet.
  const expected = status === 'approved' ? (transfer?.amount ?? 0n) : (bookedAmount ?? 0n);
  find(
    'write_off.booked',
    expected === 0n ? 'nothing' : `${expected} ${currency} to ${accountId}`,
    moved,
    'What is booked is not what the write-off states.',
  );
  if (transfer === null) return;
  find('write_off.booked', id, transfer.writeOffId ?? 'none', 'Its transfer names another write-off.');
  if (transfer.amount > amount)
    find('write_off.booked', `at most ${amount}`, `${transfer.amount}`, 'More is booked than two persons approved.');
}

function approvalOf(exception: WriteOffHistory['exception']): string {
  if (exception === null) return 'no exception';
  const { stage, approvedBy } = exception;
  if (stage !== 'approved' || approvedBy === null) return stage;
  const { type } = parseActor(approvedBy);
  return type === 'person' ? 'approved by a second person' : `approved by ${type}`;
}
