/**
 * Lets the sandbox's bank write a statement of a bank account. The command checks the request and keeps it under its key; the sandbox then writes
 * the statement, once for each key, so a repeat gets the same file, also where the process died in between. Of the books nothing is read but the
 * account, and which transfers a book has taken.
 */
import { inboundTransfers } from '../../accounts/inbound-transfers/inbound-transfer-table.ts';
import { dayOf } from '../../calendar/day.ts';
import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import type { Rails } from '../../rails/rails.ts';
import type { Noise } from '../../rails/stated-by-sandbox.ts';
import type { Instant } from '../../values/clock.ts';
import { BEFORE_ALL_IDS, newId, publicId, type Uuid } from '../../values/ids.ts';
import { writeJson } from '../../values/json.ts';
import { further } from '../../values/progress.ts';
import { bankAccounts } from '../accounts/bank-account-table.ts';
import { referencesOfResources } from '../items/expected-item-store.ts';

export interface SimulateStatement {
  readonly bookId: BookId;
  readonly bankAccountId: Uuid;
  /** YYYY-MM-DD. Left out: today. */
  readonly on: string | undefined;
  readonly noise: readonly Noise[];
  readonly requestId: Uuid;
  readonly actor: string;
}

/** What is kept under the key of the request. */
export interface AskedStatement {
  readonly bankAccountId: Uuid;
  readonly on: string;
  readonly noise: readonly Noise[];
  readonly timeZone: string;
  readonly madeAt: Instant;
}

/** Answers with an AskedStatement as JSON. Throws ApiError `parameter_invalid` for a day that cannot be stated. */
export function askStatement(input: SimulateStatement): Command<Stored | Refusal> {
  const { bankAccountId, on: asOf, noise, requestId, actor } = input;
  const origin = { id: newId(), requestId, actor };
  return {
    ...origin,
    name: 'bank_statement.simulate',
    touches: [{ table: bankAccounts, ids: [bankAccountId] }],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const account = draft.get(bankAccounts, bankAccountId);
      const param = '/bank_account';
      if (account === undefined)
        return draft.finish<Refusal>({
          ...{ refused: 'resource_not_found', param, detail: 'This book has no bank account with that id.' },
        });
      const { status } = account;
      if (status === 'closed')
        return draft.finish<Refusal>({
          ...{ refused: 'state_conflict', param, detail: 'The bank account is closed.' },
          facts: { current_status: status },
        });
      const { timeZone } = draft.book;
      const today = dayOf(moment.book, timeZone);
      const on = asOf ?? today;
      requireDay(on, { today, openingOn: account.openingOn });
      const asked: AskedStatement = { bankAccountId, on, noise, timeZone, madeAt: moment.book };
      const named = { resource: 'bank_account', resourceId: bankAccountId } as const;
      return draft.finish<Stored>({ status: 201, body: writeJson(asked), ...named });
    },
  };
}

function requireDay(on: string, { today, openingOn }: { today: string; openingOn: string }): void {
  const detail =
    on > today
      ? `That day is still to come: it is ${today} in the book.`
      : on < openingOn
        ? `The bank account begins on ${openingOn}: a statement ends on that day or later.`
        : undefined;
  if (detail !== undefined) throw new ApiError('parameter_invalid', { param: '/on', detail });
}

interface SimulationRuntime {
  readonly pool: Pool;
  readonly rails: Pick<Rails, 'sandbox'>;
}

export interface SimulatedStatement {
  readonly number: number;
  readonly file: string;
}

/** `key`: the same one gets the same file. Throws ApiError `state_conflict` where a later day is stated already. */
export async function writeStatement(
  runtime: SimulationRuntime,
  { bookId, key, asked }: { readonly bookId: BookId; readonly key: string; readonly asked: AskedStatement },
): Promise<SimulatedStatement> {
  const { pool, rails } = runtime;
  const { bankAccountId, ...request } = asked;
  const account = (await bankAccounts.find(pool, bookId, bankAccountId))!;
  await decideCredits(runtime, bookId);
  const outstanding = await referencesOfResources(pool, bookId, account.outstandingIds);
  const answer = await rails.sandbox.bankStatement(bookId, {
    ...{ key, ...request },
    account: {
      ...account,
      ...{ identifier: account.identifiers[0]!, outstanding: [...account.outstanding, ...outstanding] },
    },
  });
  if (answer.is === 'file') return answer;
  throw new ApiError('state_conflict', {
    param: '/on',
    detail: `The sandbox has stated ${publicId('bankAccount', account.id)} through ${answer.through}: name that day or a later one.`,
    facts: { current_status: account.status },
  });
}

const CREDITS_AT_ONCE = 500;

/** Of what simulations offered, what books took has moved at the bank. */
async function decideCredits({ pool, rails }: SimulationRuntime, bookId: BookId): Promise<void> {
  for (let behind: Uuid = BEFORE_ALL_IDS; ; ) {
    const page = await rails.sandbox.offeredCredits(bookId, { behind, limit: CREDITS_AT_ONCE });
    const last = page.at(-1);
    if (last === undefined) return;
    const taken: Uuid[] = [];
    for (const book of new Set(page.map(({ originator }) => originator))) {
      const ids = page.flatMap(({ id, originator }) => (originator === book ? [id] : []));
      taken.push(...(await inboundTransfers.load(pool, book as BookId, ids)).keys());
    }
    const known = new Set(taken);
    const refused = page.flatMap(({ id, isOld }) => (isOld && !known.has(id) ? [id] : []));
    await rails.sandbox.decideCredits(bookId, { taken, refused });
    behind = further('offered credits of the sandbox', behind, last.id);
  }
}
