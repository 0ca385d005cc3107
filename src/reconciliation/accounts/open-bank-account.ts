/**
 * Makes a bank account, and books what stands on it: bank → own funds, or the other way for an overdraft. It takes effect on the first day of the
 * account. What its parties had under way before is closed once the mirror has it (openings/close-before.ts).
 */
import { dayOf, startOfDay } from '../../calendar/day.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import { chartAccountId, partyAccountId } from '../../ledger/account/chart.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { announce } from '../../ledger/resources/resource.ts';
import type { Instant } from '../../values/clock.ts';
import { newId, publicId, type Uuid } from '../../values/ids.ts';
import { writeJson } from '../../values/json.ts';
import type { BankAccount } from './bank-account.ts';
import { bankAccountResource } from './bank-account-resource.ts';
import { bankAccountIdentifiers, bankAccounts } from './bank-account-table.ts';
import { outstandingIdsOf } from './cut-over.ts';
import { cutOver, cutOverTouches } from './cut-over-of-account.ts';
import { requireOperatorsBook } from './operators-book.ts';

export type NewBankAccount = Pick<
  BankAccount,
  | 'name'
  | 'currency'
  | 'identifiers'
  | 'bic'
  | 'holds'
  | 'openingOn'
  | 'openingAmount'
  | 'outstanding'
  | 'booksFrom'
  | 'reversalIndicator'
  | 'allocateOn'
  | 'calendar'
  | 'windowBefore'
  | 'windowAfter'
  | 'parties'
>;

export interface OpenBankAccount extends NewBankAccount {
  readonly bookId: BookId;
  /** Whether the book is one of the operator's. */
  readonly isOperators: boolean;
  readonly requestId: Uuid;
  readonly actor: string;
}

export function openBankAccount({
  bookId,
  isOperators,
  requestId,
  actor,
  ...given
}: OpenBankAccount): Command<Stored | Refusal> {
  const origin = { id: newId(), requestId, actor };
  const id = newId();
  const { currency } = given;
  const ledgerAccountId = partyAccountId(bookId, 'bank', { currency, party: id });
  return {
    ...origin,
    name: 'bank_account.open',
    touches: [
      { table: bankAccounts, ids: [id] },
      { table: bankAccountIdentifiers, ids: given.identifiers },
      { table: accounts, ids: [ledgerAccountId, chartAccountId(bookId, 'own_funds', currency)] },
      ...cutOverTouches(given),
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      requireOperatorsBook(isOperators);
      const refusal = refuseKnown(draft, given.identifiers);
      if (refusal) return draft.finish<Refusal>(refusal);
      const { book } = moment;
      draft.partyAccount('bank', { currency, party: id });
      const account: BankAccount = {
        id,
        ...given,
        outstandingIds: outstandingIdsOf(given.outstanding),
        status: 'open',
        ledgerAccountId,
        balance: given.openingAmount,
        ...{ lastStatementId: null, chainedOn: null, underWay: 0, reopened: 0 },
        ...{ rulesId: null, rulesVersion: null, rulesDrafted: 0 },
        entryIds: [],
        requestId,
        version: 1,
        createdAt: book,
        updatedAt: book,
      };
      const entries = given.openingAmount === 0n ? [] : [bookOpening(draft, account)];
      const opened = draft.put(bankAccounts, id, { ...account, entryIds: entries.map((entry) => entry.id) });
      for (const identifier of given.identifiers)
        draft.put(bankAccountIdentifiers, identifier, { identifier, bankAccountId: id });
      cutOver(draft, opened);
      announce(draft, bankAccountResource, opened, { event: 'bank_account.created', entries });
      const body = writeJson(bankAccountResource.view(opened, draft));
      return draft.finish<Stored>({ status: 201, body, resource: 'bank_account', resourceId: id });
    },
  };
}

function refuseKnown(draft: Draft, identifiers: readonly string[]): Refusal | undefined {
  const index = identifiers.findIndex((one) => draft.get(bankAccountIdentifiers, one) !== undefined);
  if (index === -1) return undefined;
  const known = draft.get(bankAccountIdentifiers, identifiers[index]!)!;
  return {
    refused: 'state_conflict',
    param: `/identifiers/${index}`,
    detail: `The bank account ${publicId('bankAccount', known.bankAccountId)} has this identifier.`,
    // Of the identifier.
    facts: { current_status: 'taken', allowed_actions: [] },
  };
}

function bookOpening(draft: Draft, account: BankAccount) {
  const { id, currency, ledgerAccountId: bank, openingAmount } = account;
  const own = draft.chart('own_funds', currency).id;
  const amount = openingAmount < 0n ? -openingAmount : openingAmount;
  const posting = openingAmount > 0n ? { debit: bank, credit: own, amount } : { debit: own, credit: bank, amount };
  return draft.post({
    ...({ resource: 'bank_account', resourceId: id, step: 'opened', postings: [posting] } as const),
    effectiveAt: openingAt(draft, account.openingOn),
  });
}

/** When what a bank states of a day takes effect: on that day, and never on one that is not here yet. Undefined: now. */
export function openingAt({ book: { timeZone }, moment }: Draft, on: string): Instant | undefined {
  return on < dayOf(moment.book, timeZone) ? startOfDay(on, timeZone) : undefined;
}
