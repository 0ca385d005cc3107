/** Expires purchases: what is still held of an authorization when its time is over is the account's again. By the book's own time. */
import { keyedByUuid } from '../../db/keyed-table.ts';
import type { Queryable } from '../../db/pool.ts';
import type { Appointment } from '../../group/appointment.ts';
import type { MovedRows } from '../../group/moved-rows.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { unionOfTouches } from '../../ledger/command/state.ts';
import { newId, publicId } from '../../values/ids.ts';
import type { PurchaseStatus } from '../purchase/purchase-state.ts';
import { type StoredPurchase, transactions } from '../purchase/purchase-table.ts';
import { CardScopes } from '../recording/card-scopes.ts';
import { expirePurchase, isOver } from '../recording/expire-first.ts';
import { type PurchaseScope, requireRead, touchesOf } from '../recording/purchase-scope.ts';
import { scopeOfPurchase } from '../recording/read-scope.ts';
import { sceneIn } from '../recording/scene.ts';

/** A purchase that is open is pending; the others wait for what a reversal takes back. */
const STATUSES: readonly PurchaseStatus[] = ['pending', 'settled', 'verified', 'expired', 'reversed'];

/** A purchase touches some seven rows of its own, beside those of its controls. */
const EXPIRIES_PER_COMMAND = 100;

export const movedPurchases: MovedRows = {
  kind: 'transaction',
  table: keyedByUuid(transactions.name, 'id'),
  open: STATUSES,
  due: STATUSES.map((status) => ({
    name: `transactions that expire (${status})`,
    status,
    pool: 'ledger',
    job: 'transaction.expire',
    againMs: 30_000, // beyond the 10 s that a command may wait for its book
  })),
  overdue: {
    waitsSince: 'expires_at',
    finding: {
      check: 'transaction.overdue',
      expected: 'expired',
      detail: 'Nobody expires this transaction, and no bug has stopped it.',
      ids: ([id]) => ({ transaction: publicId('transaction', id!) }),
    },
  },
  shownId: (id) => publicId('transaction', id),
};

export const purchaseExpiries: readonly Appointment[] = STATUSES.map((status) => ({
  name: `transactions that expire (${status})`,
  rows: movedPurchases,
  status,
  column: 'expires_at',
  pool: 'ledger',
  job: 'transaction.expire',
  async command(pool, bookId, ids) {
    const known = await transactions.load(pool, bookId, ids.slice(0, EXPIRIES_PER_COMMAND));
    return expirePurchases(await scopesOf(pool, bookId, [...known.values()]));
  },
}));

/** Each time anew: the command is made anew where something was overtaken. */
async function scopesOf(pool: Queryable, bookId: BookId, known: readonly StoredPurchase[]): Promise<PurchaseScope[]> {
  const cardScopes = new CardScopes(pool);
  const scopes: PurchaseScope[] = [];
  for (const purchase of known) scopes.push(await scopeOfPurchase(cardScopes, { bookId, purchase, anew: false }));
  return withinRoom(scopes);
}

/** Of the thousand that a command may touch. Cards with many tokens and limits take more of them; what is left stays due. */
const ROWS_MAX = 900;

function withinRoom(scopes: readonly PurchaseScope[]): PurchaseScope[] {
  const touched = new Set<string>();
  const kept: PurchaseScope[] = [];
  for (const scope of scopes) {
    for (const { table, ids } of touchesOf(scope)) for (const id of ids) touched.add(`${table.name} ${id}`);
    if (touched.size > ROWS_MAX && kept.length > 0) break;
    kept.push(scope);
  }
  return kept;
}

/** Answers with how many are over. Those that are not are left as they are. */
export function expirePurchases(scopes: readonly PurchaseScope[]): Command<number> {
  const origin = { id: newId(), requestId: newId(), actor: 'worker:ledger' };
  const own = scopes.map((scope) => ({ scope, messageId: newId() }));
  return {
    ...origin,
    name: 'transaction.expire',
    touches: [...unionOfTouches(scopes.map(touchesOf))].map(([table, ids]) => ({ table, ids })),
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      let expired = 0;
      for (const { scope, messageId } of draft.each(own)) {
        const purchase = draft.get(transactions, scope.purchaseId);
        if (!purchase || !isOver(purchase, moment.book)) continue;
        requireRead(scope, purchase, { needsDisputes: false });
        expirePurchase(sceneIn(draft, scope, purchase.tokenId), purchase, messageId);
        expired++;
      }
      return draft.finish(expired);
    },
  };
}
