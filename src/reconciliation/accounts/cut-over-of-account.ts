/** Keeps which bank account cuts over which party, for commands that make and change bank accounts. */
import type { Touch } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import type { BankAccount } from './bank-account.ts';
import { partyCutOvers } from './bank-account-table.ts';
import { cutOverId, partiesOf } from './cut-over.ts';

export function cutOverTouches(account: Pick<BankAccount, 'currency' | 'holds' | 'parties'>): Touch[] {
  const ids = partiesOf(account).map((party) => cutOverId(account.currency, party));
  return ids.length === 0 ? [] : [{ table: partyCutOvers, ids }];
}

/** Parties that another account has cut over are left to it. */
export function cutOver(draft: Draft, account: BankAccount): void {
  const { currency, id: bankAccountId, openingOn } = account;
  for (const party of partiesOf(account)) {
    const id = cutOverId(currency, party);
    if (draft.get(partyCutOvers, id) !== undefined) continue;
    draft.put(partyCutOvers, id, {
      ...{ id, currency, party, bankAccountId, openingOn, createdAt: draft.moment.book },
    });
  }
}
