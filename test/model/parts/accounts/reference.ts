/** The reference's accounts: opened, funded, frozen and closed by the rules of the API reference. */
import type { ReferenceBook } from '../../reference-book.ts';
import { refused, type Said } from '../../reference-ledger.ts';

export type StatusAction = 'freeze' | 'unfreeze' | 'close';

export interface OpenAccount {
  readonly currency: string;
  readonly overdraft: bigint;
}

export interface FundAccount {
  readonly account: string;
  readonly currency: string;
  readonly amount: bigint;
}

export interface ChangeStatus {
  readonly account: string;
  readonly action: StatusAction;
  readonly ifMatch?: number;
}

export function customers(book: ReferenceBook): string[] {
  return [...book.accounts.keys()].filter((name) => name.startsWith('account '));
}

export function openReferenceAccount(book: ReferenceBook, { currency, overdraft }: OpenAccount): Said {
  const name = `account ${customers(book).length + 1}`;
  book.accounts.set(name, { currency, grows: 'credit', overdraft, status: 'open', version: 1 });
  book.tell('account.created', name, 1);
  return { status: 201, resource: name };
}

export function fund(book: ReferenceBook, { account, currency, amount }: FundAccount): Said {
  const known = book.accounts.get(account);
  if (!known) return refused('resource_not_found');
  if (known.currency !== currency) return refused('currency_mismatch');
  const resource = `transfer ${book.entries.length + 1}`;
  const movements = [{ debit: book.chart('pool', currency), credit: account, amount }];
  const entry = book.post({ resource, step: 'received', movements });
  if (typeof entry === 'string') return refused(entry);
  book.tell('account.updated', account, ++known.version, [entry]);
  return { status: 201, resource };
}

export function changeStatus(book: ReferenceBook, { account, action, ifMatch }: ChangeStatus): Said {
  const known = book.accounts.get(account);
  if (!known) return refused('resource_not_found');
  if (ifMatch !== undefined && ifMatch !== known.version) return refused('version_mismatch');
  const possible = { open: ['freeze', 'close'], frozen: ['unfreeze', 'close'], closed: [] as string[] };
  if (!possible[known.status].includes(action)) return refused('state_conflict');
  const isEmpty = book.posted(account) === 0n && book.held(account) === 0n && !book.isKeptOpen(account);
  if (action === 'close' && !isEmpty) return refused('account_not_empty');
  known.status = ({ freeze: 'frozen', unfreeze: 'open', close: 'closed' } as const)[action];
  const told = { freeze: 'account.frozen', unfreeze: 'account.unfrozen', close: 'account.closed' }[action];
  book.tell(told, account, ++known.version);
  return { status: 200, resource: account };
}
