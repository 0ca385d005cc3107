/**
 * Items become payouts: at most 250 in a command, at most 500 payouts of batches under way in a book, batches in the order of their uploads.
 * A command takes from each account's hold what its payouts hold, and moves `made` on: a command that finds another `made` does nothing. So a
 * process may die anywhere, and several may try at once.
 */

import type { Account } from '../../ledger/account/account.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import { chartAccountId } from '../../ledger/account/chart.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command, Touch } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { MAX_TOUCHED } from '../../ledger/commit/committer.ts';
import { indexMetadata } from '../../ledger/resources/metadata-store.ts';
import { begin } from '../../ledger/resources/resource.ts';
import { hasText, newSalt } from '../../ledger/rows/personal-text.ts';
import type { Table } from '../../ledger/rows/table.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import type { FoundCard } from '../destinations/card.ts';
import { CARD_PARAM } from '../destinations/find-card.ts';
import { countTouches, putCounter, withinLimits } from '../limits/count-payout.ts';
import { payeeTouches } from '../payees/disable-payee.ts';
import { hasNewerDestination, isDisabled, rememberApproved } from '../payees/pinned-payee.ts';
import { payoutOf } from '../payout/new-payout.ts';
import type { FailureCode, Payout } from '../payout/payout.ts';
import { payoutResource } from '../payout/payout-resource.ts';
import { markFailed } from '../payout/payout-steps.ts';
import type { ReleaseRoute } from '../payout/route-release.ts';
import { arrivalOf } from '../routing/route-payout.ts';
import { type PayoutBatch, payingAccountOf } from './batch.ts';
import type { BatchItem, ItemContent } from './batch-item.ts';
import { payoutBatches } from './batch-table.ts';

export const PAYOUTS_PER_COMMAND = 250;

/** An item with what it asks for. */
export interface OpenItem {
  readonly item: BatchItem;
  readonly content: ItemContent;
  /** Null where it goes to no card, or where the book has the card no longer. */
  readonly card: FoundCard['payable'] | null;
}

interface MadeItem extends OpenItem {
  readonly accountId: Uuid;
  readonly holdId: Uuid;
  readonly textSalt: Buffer | null;
}

/** What a command touches, each row once. */
class Touched {
  readonly #ids = new Map<Table<unknown>, Set<string>>();
  size = 0;

  add(touches: readonly Touch[]): void {
    for (const { table, ids } of touches) {
      const known = this.#ids.get(table) ?? new Set();
      this.#ids.set(table, known);
      for (const id of ids) {
        if (known.has(id)) continue;
        known.add(id);
        this.size++;
      }
    }
  }

  get touches(): Touch[] {
    return [...this.#ids].map(([table, ids]) => ({ table, ids: [...ids] }));
  }
}

/** A destination takes at most its account, its payee and what a card touches. */
const TOUCHED_BY_ITEM_MAX = 16;

function touchesOf(bookId: BookId, batch: PayoutBatch, { item, content, card }: OpenItem): Touch[] {
  const { currency } = item;
  const chart = (['payouts_in_transit', 'pool', 'due_operator'] as const).map((code) =>
    chartAccountId(bookId, code, currency),
  );
  const { destination } = content;
  const target = destination.type === 'account' ? [destination.accountId] : [];
  return [
    { table: accounts, ids: [payingAccountOf(batch, item), ...chart, ...target] },
    ...countTouches(bookId, { currency, countedOn: null, unheld: true }),
    ...payeeTouches(content.payee),
    ...(card?.touches ?? []),
  ];
}

/**
 * Makes payouts of the items that follow `batch.made`, or of the first of them where all would touch too many rows. Answers with how many
 * are made: 0 where the batch is not as it was read.
 */
export function makePayouts(
  bookId: BookId,
  batch: PayoutBatch,
  open: readonly OpenItem[],
  outside: { readonly route: ReleaseRoute; readonly batchTouches: readonly Touch[] },
): Command<number> {
  const touched = new Touched();
  touched.add(outside.batchTouches);
  const made: MadeItem[] = [];
  for (const one of open) {
    if (touched.size > MAX_TOUCHED - TOUCHED_BY_ITEM_MAX) break;
    touched.add(touchesOf(bookId, batch, one));
    const { content } = one;
    const isPersonal = hasText(content) || content.remittance !== null;
    made.push({
      ...one,
      accountId: payingAccountOf(batch, one.item),
      holdId: newId(),
      textSalt: isPersonal ? newSalt() : null,
    });
  }
  const origin = { id: newId(), requestId: batch.requestId, actor: 'worker:ledger' };
  return {
    ...origin,
    name: 'payout_batch.make',
    touches: touched.touches,
    behind: made.length,
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const now = draft.get(payoutBatches, batch.id);
      if (now?.status !== 'processing' || now.made !== batch.made || now.last < now.made + made.length)
        return draft.finish(0);
      takeFromHolds(draft, now, made);
      for (const one of draft.each(made)) {
        makePayout(draft, now, one, outside.route);
      }
      draft.put(payoutBatches, now.id, { ...now, made: now.made + made.length });
      return draft.finish(made.length);
    },
  };
}

/** One step of each account's hold, for all payouts of the command. */
function takeFromHolds(draft: Draft, { payingAccounts }: PayoutBatch, made: readonly MadeItem[]): void {
  const needs = new Map<Uuid, bigint>();
  for (const { accountId, item } of made) needs.set(accountId, (needs.get(accountId) ?? 0n) + item.amount + item.fee);
  for (const { accountId, holdId } of payingAccounts) {
    const need = needs.get(accountId);
    if (need !== undefined) draft.takeFromHold(holdId, 'released', need);
  }
}

/** An item that became impossible since the upload is a payout that fails. */
function makePayout(draft: Draft, batch: PayoutBatch, made: MadeItem, route: ReleaseRoute): void {
  const { item, content, holdId, accountId } = made;
  const { moment } = draft;
  const asked: Payout = payoutOf(
    {
      id: item.payoutId,
      accountId,
      holdId,
      amount: item.amount,
      fee: item.fee,
      currency: item.currency,
      rail: content.rail,
      destination: content.destination,
      payee: content.payee,
      description: content.description,
      remittance: content.remittance,
      purposeCode: content.purposeCode,
      externalId: item.externalId,
      metadata: content.metadata,
      textSalt: made.textSalt,
      endToEndId: item.endToEndId,
      configuration: batch.configuration,
      expectedArrival: moment.book,
      countedOn: null,
      batchId: batch.id,
      requestId: batch.requestId,
    },
    moment,
  );
  // It was held already: an account that has gone below its floor since gives nothing that it did not give before.
  const amount = item.amount + item.fee;
  draft.placeHold({ id: holdId, accountId, resource: 'payout', resourceId: asked.id, amount, overrideFloor: true });
  const terms = termsOf(draft, asked, made, route);
  const payout = typeof terms === 'string' ? asked : { ...asked, ...terms };
  begin(draft, payoutResource, payout, 'payout.created');
  indexMetadata(draft, content.metadata, { object: 'payout', objectId: payout.id });
  const pending = draft.get(payoutResource.table, payout.id)!;
  if (typeof terms === 'string') {
    markFailed(draft, pending, { failureCode: terms });
    return;
  }
  if (batch.approval !== null) rememberApproved(draft, content.payee);
  draft.enqueue({ pool: 'ledger', job: 'payout.reserve', id: payout.id });
}

type Terms = Pick<Payout, 'rail' | 'expectedArrival' | 'countedOn'>;

/** By the settings of now, as for a payout that is released; or the code with which it fails. */
function termsOf(draft: Draft, payout: Payout, { content, card }: OpenItem, route: ReleaseRoute): Terms | FailureCode {
  const { destination, payee, amount, currency } = payout;
  if (payee !== null && (hasNewerDestination(draft, payee) || isDisabled(draft, payee))) return 'payee_changed';
  if (destination.type === 'account' && isClosed(draft.account(destination.accountId))) return 'payee_account_closed';
  const routing = route(payout, draft.book);
  if (routing.rail === null) return 'rail_unavailable';
  const within = withinLimits(draft, { amount, currency, limits: routing.limits });
  if (within.refused) return 'limit_exceeded';
  if (content.destination.type === 'card' && (card === null || card.use(draft, CARD_PARAM)))
    return 'payee_account_invalid';
  putCounter(draft, within);
  const expectedArrival = arrivalOf(routing, draft.moment.book);
  return { rail: routing.rail, expectedArrival, countedOn: within.counter?.day ?? null };
}

const isClosed = ({ status }: Account) => status === 'closed';
