/** What asking a rail about a payout needs: the alias, and when to ask again. */
import type { SecretBox } from '../db/secret-box.ts';
import type { BookId } from '../ledger/book.ts';
import type { Rail } from '../rails/rail.ts';
import { growingPauseMs } from '../outside/growing-pause.ts';
import { aliasPlace, type Payout } from './payout.ts';

/** The rail's own steps, then twice the pause before, up to a day. */
export function inquiryPauseMs(rail: Pick<Rail, 'inquiryDelaysMs'>, payout: Payout): number {
  return growingPauseMs(rail.inquiryDelaysMs, payout.inquiries, payout.id);
}

export function aliasOf(runtime: { readonly secretBox: SecretBox }, bookId: BookId, payout: Payout): string {
  if (payout.destination.type !== 'cliq') throw new Error(`Payout ${payout.id} has no alias`);
  return runtime.secretBox.open(payout.destination.aliasSealed, aliasPlace(bookId, payout.id));
}
