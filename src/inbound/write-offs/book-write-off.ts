/**
 * Books a write-off that two persons have approved: its transfer gets an id, is booked in the customer's book under that id, and the row ends. Each
 * step is a commit of its own and may be repeated, so a command that was killed is run again and books it once.
 */
import { accountTouches } from '../../accounts/account/account-resource.ts';
import { inboundTransfers } from '../../accounts/inbound-transfers/inbound-transfer-table.ts';
import { receiveInto } from '../../accounts/inbound-transfers/receive-transfer.ts';
import { isEnded } from '../../exceptions/exception.ts';
import { exceptions } from '../../exceptions/exception-table.ts';
import { waitInClosed } from '../../exceptions/wait-in-closed.ts';
import { BadInput } from '../../intake/bad-input.ts';
import { posted } from '../../ledger/account/account.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import { chartAccountId } from '../../ledger/account/chart.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import { encodeActor } from '../../values/actor.ts';
import { newId, publicId, type Uuid } from '../../values/ids.ts';
import { exceptionIdOf, type WriteOffRuntime } from './propose-write-off.ts';
import { ABOUT_WRITE_OFFS, type WriteOff } from './write-off.ts';
import { writeOffs } from './write-off-table.ts';

const ACTOR = encodeActor({ type: 'system', part: 'write_off' });
/** Shown to the customer. */
const DESCRIPTION = 'Written off';

/** Throws BadInput where two persons have not approved it, and for one that was withdrawn. */
export async function bookWriteOff(
  { committer }: WriteOffRuntime,
  { bookId, id }: { readonly bookId: BookId; readonly id: Uuid },
): Promise<WriteOff> {
  const { writeOff, exception } = await committer.submit(bookId, takeApproval(id));
  const shown = publicId('exception', exceptionIdOf(id));
  if (writeOff.status === 'withdrawn') throw new BadInput(null, `The write-off of ${shown} was withdrawn.`);
  if (writeOff.status === 'proposed')
    throw new BadInput(
      null,
      `${shown} is ${exception}. One person explains it (POST /v1/exceptions/${shown}/explain) and another one approves it; then it is booked.`,
    );
  if (writeOff.status === 'booked') return writeOff;
  const booked = await committer.submit(writeOff.ofBook, bookTransfer(writeOff));
  if ('refused' in booked)
    throw new Error(`The book refuses it (${booked.refused}). Nothing is booked; the write-off stays approved.`);
  return committer.submit(bookId, end(id, booked.amount));
}

/** proposed → approved, where its exception is. */
function takeApproval(id: Uuid): Command<{ readonly writeOff: WriteOff; readonly exception: string }> {
  const origin = { id: newId(), requestId: newId(), actor: ACTOR };
  const exceptionId = exceptionIdOf(id);
  const transferId = newId();
  return {
    ...origin,
    name: 'write_off.approve',
    touches: [
      { table: writeOffs, ids: [id] },
      { table: exceptions, ids: [exceptionId] },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const writeOff = draft.get(writeOffs, id)!;
      const exception = draft.get(exceptions, exceptionId)!;
      const facts = { writeOff, exception: exception.status };
      if (writeOff.status !== 'proposed' || !isEnded(exception)) return draft.finish(facts);
      const approved: WriteOff = { ...writeOff, status: 'approved', transferId, updatedAt: moment.book };
      return draft.finish({ ...facts, writeOff: draft.put(writeOffs, id, approved) });
    },
  };
}

/** In the customer's book. Answers with what its transfer has: what the account still owed, zero without a transfer. */
function bookTransfer(writeOff: WriteOff): Command<{ readonly amount: bigint } | Refusal> {
  const { id, ofBook, accountId, currency, amount } = writeOff;
  const transferId = writeOff.transferId!;
  const origin = { id: newId(), requestId: newId(), actor: ACTOR };
  const salt = newSalt();
  return {
    ...origin,
    name: 'write_off.book',
    touches: [
      ...accountTouches({ accountId, currency }),
      { table: accounts, ids: [chartAccountId(ofBook, 'pool', currency)] },
      { table: inboundTransfers, ids: [transferId] },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const known = draft.get(inboundTransfers, transferId);
      if (known) return draft.finish<{ amount: bigint } | Refusal>({ amount: known.amount });
      const owed = -posted(draft.account(accountId));
      const left = owed < amount ? owed : amount;
      if (left <= 0n) return draft.finish({ amount: 0n });
      const detail = `The write-off of ${publicId('account', accountId)} left money in it.`;
      const answer = receiveInto(draft, transferId, {
        ...{ bookId: ofBook, accountId, currency, amount: left, description: DESCRIPTION, salt, writeOffId: id },
        ...{ requestId: origin.requestId, actor: ACTOR },
        // It never leaves more there than the account owed.
        permissions: {
          creditClosed: waitInClosed(draft, {
            ...{ kind: ABOUT_WRITE_OFFS.kind, resource: 'inbound_transfer', resourceId: transferId, detail },
          }),
        },
      });
      if (answer.refused !== undefined) return new Draft(state, origin, moment).finish(answer);
      return draft.finish({ amount: left });
    },
  };
}

function end(id: Uuid, bookedAmount: bigint): Command<WriteOff> {
  const origin = { id: newId(), requestId: newId(), actor: ACTOR };
  return {
    ...origin,
    name: 'write_off.end',
    touches: [{ table: writeOffs, ids: [id] }],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const writeOff = draft.get(writeOffs, id)!;
      if (writeOff.status !== 'approved') return draft.finish(writeOff);
      const booked: WriteOff = { ...writeOff, status: 'booked', bookedAmount, updatedAt: moment.book };
      return draft.finish(draft.put(writeOffs, id, booked));
    },
  };
}
