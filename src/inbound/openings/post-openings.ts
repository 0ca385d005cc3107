/** Books lines of a file of opening balances, pool → customer, in one command: each once, by the id of its transfer. */
import { accountTouches } from '../../accounts/account/account-resource.ts';
import { inboundTransfers } from '../../accounts/inbound-transfers/inbound-transfer-table.ts';
import { receiveInto } from '../../accounts/inbound-transfers/receive-transfer.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import { chartAccountId } from '../../ledger/account/chart.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import { newId, type Uuid } from '../../values/ids.ts';

/** An account with its profile, a transfer, an entry and two events each: within the 1,000 rows of a command. */
export const LINES_PER_COMMAND = 100;

/** Shown to the customer. */
const DESCRIPTION = 'Opening balance';

export interface PostedLine {
  /** Of the file. */
  readonly row: number;
  readonly transferId: Uuid;
  readonly accountId: Uuid;
  readonly currency: string;
  readonly amount: bigint;
}

export interface PostOpenings {
  /** The customer's. */
  readonly bookId: BookId;
  readonly openingId: Uuid;
  readonly lines: readonly PostedLine[];
  readonly actor: string;
}

/** Why a line is not booked. The others are. */
export interface RefusedLine {
  readonly row: number;
  readonly code: string;
}

export interface PostedOpenings {
  readonly posted: number;
  /** Booked by an earlier run. */
  readonly known: number;
  readonly refused: readonly RefusedLine[];
}

export function postOpenings({ bookId, openingId, lines, actor }: PostOpenings): Command<PostedOpenings> {
  const origin = { id: newId(), requestId: newId(), actor };
  const salts = lines.map(() => newSalt());
  const currencies = [...new Set(lines.map(({ currency }) => currency))];
  return {
    ...origin,
    name: 'opening_balance.post',
    touches: [
      ...lines.flatMap((line) => accountTouches(line)),
      { table: accounts, ids: currencies.map((currency) => chartAccountId(bookId, 'pool', currency)) },
      { table: inboundTransfers, ids: lines.map(({ transferId }) => transferId) },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const refused: RefusedLine[] = [];
      let known = 0;
      for (const [at, { row, transferId, ...line }] of draft.each([...lines.entries()])) {
        if (draft.get(inboundTransfers, transferId) !== undefined) {
          known += 1;
          continue;
        }
        // Nothing of a refused line is in the draft: this one is the only refusal behind its first change.
        if (draft.get(accounts, line.accountId)?.status === 'closed') {
          refused.push({ row, code: 'account_closed' });
          continue;
        }
        const input = { ...line, bookId, description: DESCRIPTION, salt: salts[at]!, openingId };
        const answer = receiveInto(draft, transferId, { ...input, requestId: origin.requestId, actor });
        if (answer.refused !== undefined) refused.push({ row, code: answer.refused });
      }
      return draft.finish({ posted: lines.length - known - refused.length, known, refused });
    },
  };
}
