/** Books the return of a payout that a bank statement shows, once by its notice. The notice of the rail that follows is its evidence. */
import type { Pool } from '../../db/pool.ts';
import type { ReturnedAtBank } from '../../group/at-bank.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import { publicId } from '../../values/ids.ts';
import { payouts } from '../payout/payout-table.ts';
import { returnPayout } from './return-payout.ts';

interface ReturnRuntime {
  readonly pool: Pool;
  readonly committer: Pick<Committer, 'submit'>;
}

export async function returnAtBank(
  { pool, committer }: ReturnRuntime,
  { ofBook, payoutId, noticeId, amount, bankLine, isReported }: ReturnedAtBank,
): Promise<void> {
  // Read first: what the rail reports from here on, the command sees by it.
  const payout = await payouts.find(pool, ofBook, payoutId);
  if (payout === undefined || (await isReported())) return;
  const notice = { id: noticeId, amount, reason: null, raw: { bank_line: publicId('bankLine', bankLine) } };
  const atBank = { returnedBefore: payout.amountReturned };
  await committer.submit(ofBook, returnPayout(ofBook, payout, { ...notice, atBank }));
}
