/** Test mode: the sandbox acquirer pays the book all that it holds for it, now. */
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { requireClockIdle } from '../../idempotency/once.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { operatorBooks } from '../../organisations/organisation-store.ts';
import { deriveId, newId, type Uuid } from '../../values/ids.ts';
import { writeJson } from '../../values/json.ts';
import { elsewhere } from '../../values/progress.ts';
import type { Settlement } from '../paydays/settlement.ts';
import { paydays, settlements } from '../paydays/settlement-table.ts';
import { openPayday, type PaydayRuntime, paydayStep, placeOfPayday } from './keep-payday.ts';
import { submitAsRead } from './read-again.ts';
import { listParts } from './report-store.ts';
import { settlementResource } from './settlement-resource.ts';

/** More steps than a report has lines for: 250,000 lines. */
const STEPS_MAX = 1_000;

/**
 * A payday that is due now, and is completed before the response. It is a row, so the sweeper continues it if this
 * process dies. The same Idempotency-Key is the same payday.
 */
export const simulateSettlement: UseCase<OnceRuntime & PaydayRuntime, Asked> = {
  keyFirst: true,
  async prepare(runtime, input) {
    const { pool, committer } = runtime;
    const { bookId, idempotencyKey: key } = input;
    const book = await loadBook(pool, bookId);
    if (book) requireClockIdle(book);
    const payday = key === null ? newId() : deriveId('simulated-payday', bookId, key);
    await committer.submit(bookId, openPayday(payday));
    let steps = 0;
    let place = await placeOfPayday(pool, bookId, payday);
    while (
      !(await submitAsRead(committer, bookId, () => paydayStep({ ...runtime, callFor: 'request' }, bookId, payday)))
    ) {
      place = elsewhere(`Payday ${payday}`, place, await placeOfPayday(pool, bookId, payday));
      if (++steps === STEPS_MAX)
        throw new ApiError('service_unavailable', { detail: 'The settlement goes on. Send the request again.' });
    }
    const reports = (await paydays.find(pool, bookId, payday))!.reportIds;
    const operator = (await operatorBooks(pool)).test;
    const parts = await Promise.all(reports.map((id) => listParts(pool, { bookId: operator, id })));
    const ids = parts.flat().map(({ id }) => id);
    return { command: showSettlements(input, ids) };
  },
};

function showSettlements({ requestId, actor }: Asked, ids: readonly Uuid[]): Command<Stored> {
  const origin = { id: newId(), requestId, actor };
  return {
    ...origin,
    name: 'settlement.show',
    touches: [{ table: settlements, ids }],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const found = ids.map((id) => draft.get<Settlement>(settlements, id)!);
      const data = found.map((settlement) => settlementResource.view(settlement, draft));
      const body = writeJson({
        object: 'list',
        data,
        has_more: false,
        next_cursor: null,
        url: '/v1/payments/settlements',
      });
      const [first] = ids;
      return draft.finish<Stored>({
        status: 200,
        body,
        ...(first === undefined
          ? { resource: 'book' as const, resourceId: draft.book.id }
          : { resource: 'settlement' as const, resourceId: first }),
      });
    },
  };
}
