/**
 * The scheme settles what is cleared and not settled: one net amount a currency, one entry against the pool. Interchange and scheme fees are
 * facts of the lines, and the operator's to book.
 */
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import { chartAccountId } from '../../ledger/account/chart.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';
import { announce, shownBy } from '../../ledger/resources/resource.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { writeJson } from '../../values/json.ts';
import { movement, type RolePosting } from '../booking/book-posting.ts';
import { schemeSettlementResource } from './settlement-resource.ts';
import { readUnsettled, settledThrough, type Unsettled } from './settlement-store.ts';
import { type SchemeSettlement, schemeSettlements } from './settlement-table.ts';

export interface SettlementInput extends Asked {
  /** Left out: every currency. */
  readonly currency?: string | undefined;
}

/** Answers with the settlements, one a currency: none where nothing is unsettled. */
export const requestSettlement: UseCase<OnceRuntime, SettlementInput> = {
  async prepare({ pool }, input) {
    return { command: settle(input, await readUnsettled(pool, input.bookId, input.currency)) };
  },
};

function settle(input: SettlementInput, unsettled: readonly Unsettled[]): Command<Stored | Refusal> {
  const { bookId, requestId, actor } = input;
  const origin = { id: newId(), requestId, actor };
  const due = unsettled.map((one) => ({ ...one, id: newId() }));
  return {
    ...origin,
    name: 'scheme_settlement.settle',
    touches: [
      { table: accounts, ids: due.flatMap(({ currency }) => chartOf(bookId, currency)) },
      { table: settledThrough, ids: due.map(({ currency }) => currency) },
      { table: schemeSettlements, ids: due.map(({ id }) => id) },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const settled = due.map((one) => settleOne(draft, one, requestId));
      const data = settled.map((settlement) => shownBy(draft, schemeSettlementResource, settlement));
      const url = '/v1/transactions/settlements';
      const body = writeJson({ object: 'list', data, has_more: false, next_cursor: null, url });
      const [first] = settled;
      const about = first
        ? ({ resource: 'scheme_settlement', resourceId: first.id } as const)
        : ({ resource: 'book', resourceId: draft.book.id } as const);
      return draft.finish<Stored>({ status: 200, body, ...about });
    },
  };
}

function chartOf(bookId: BookId, currency: string): Uuid[] {
  return (['scheme_settlement', 'pool'] as const).map((code) => chartAccountId(bookId, code, currency));
}

function settleOne(
  draft: Draft,
  { id, currency, fromLine, throughLine, lines, net }: Unsettled & { id: Uuid },
  requestId: Uuid,
) {
  if ((draft.get(settledThrough, currency)?.line ?? 0n) + 1n !== fromLine)
    throw new StaleRead('The scheme has settled meanwhile. Send the request again.');
  const [scheme, pool] = [draft.chart('scheme_settlement', currency).id, draft.chart('pool', currency).id];
  const { postings } = settleNet([net]);
  const accountOf = { scheme_settlement: scheme, pool };
  const entry =
    postings.length === 0
      ? null
      : draft.post({
          ...({ resource: 'scheme_settlement', resourceId: id, step: 'settled' } as const),
          postings: postings.map(({ debit, credit, amount }) => ({
            debit: accountOf[debit as keyof typeof accountOf],
            credit: accountOf[credit as keyof typeof accountOf],
            amount,
          })),
        });
  const { book: now } = draft.moment;
  const settlement: SchemeSettlement = {
    ...{ id, currency, fromLine, throughLine, lines, net },
    entryIds: entry === null ? [] : [entry.id],
    ...{ requestId, version: 1, createdAt: now, updatedAt: now },
  };
  draft.put(schemeSettlements, id, settlement);
  const entries = entry === null ? [] : [entry];
  announce(draft, schemeSettlementResource, settlement, { event: 'scheme_settlement.completed', entries });
  return settlement;
}

/**
 * The net of lines in one currency, one posting. A line is what one entry has moved to scheme_settlement, negative for what it has moved away
 * from there. A day with more credits than clearings is ours to receive.
 */
export function settleNet(lines: readonly bigint[]): {
  readonly net: bigint;
  readonly postings: readonly RolePosting[];
} {
  const net = lines.reduce((sum, line) => sum + line, 0n);
  return { net, postings: movement('scheme_settlement', 'pool', net) };
}
