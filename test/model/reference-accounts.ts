/** The reference with the ledger's own objects: accounts, entries of any postings, and holds. */
import { ReferenceLedger, refused, type Said } from './reference-ledger.ts';
import type { Of } from './requests.ts';

export abstract class ReferenceAccounts extends ReferenceLedger {
  /** Whether a payout from the account is pending or processing. */
  protected abstract isLeaving(account: string): boolean;

  openAccount({ currency, overdraft }: Of<'open'>): Said {
    const name = `account ${this.customers().length + 1}`;
    this.accounts.set(name, { currency, grows: 'credit', overdraft, status: 'open', version: 1 });
    this.tell('account.created', name, 1);
    return { status: 201, resource: name };
  }

  customers(): string[] {
    return [...this.accounts.keys()].filter((name) => name.startsWith('account '));
  }

  fund({ account, currency, amount }: Of<'fund'>): Said {
    const known = this.accounts.get(account);
    if (!known) return refused('resource_not_found');
    if (known.currency !== currency) return refused('currency_mismatch');
    const resource = `transfer ${this.entries.length + 1}`;
    const movements = [{ debit: this.chart('pool', currency), credit: account, amount }];
    const entry = this.post({ resource, step: 'received', movements });
    if (typeof entry === 'string') return refused(entry);
    this.tell('account.updated', account, ++known.version, [entry]);
    return { status: 201, resource };
  }

  changeStatus({ account, action, ifMatch }: Of<'status'>): Said {
    const known = this.accounts.get(account);
    if (!known) return refused('resource_not_found');
    if (ifMatch !== undefined && ifMatch !== known.version) return refused('version_mismatch');
    const possible = { open: ['freeze', 'close'], frozen: ['unfreeze', 'close'], closed: [] as string[] };
    if (!possible[known.status].includes(action)) return refused('state_conflict');
    const isEmpty = this.posted(account) === 0n && this.held(account) === 0n && !this.isLeaving(account);
    if (action === 'close' && !isEmpty) return refused('account_not_empty');
    known.status = ({ freeze: 'frozen', unfreeze: 'open', close: 'closed' } as const)[action];
    const told = { freeze: 'account.frozen', unfreeze: 'account.unfrozen', close: 'account.closed' }[action];
    this.tell(told, account, ++known.version);
    return { status: 200, resource: account };
  }

  postAny({ movements }: Of<'post'>): Said {
    if (movements.some(({ debit, credit }) => !this.accounts.has(debit) || !this.accounts.has(credit)))
      return refused('resource_not_found');
    const resource = `posting ${this.entries.length + 1}`;
    const entry = this.post({ resource, step: 'done', movements });
    return typeof entry === 'string' ? refused(entry) : { status: 201, resource };
  }

  placeHold({ account, amount, expiresAt }: Of<'hold'>): Said {
    const known = this.accounts.get(account);
    if (!known) return refused('resource_not_found');
    if (known.status !== 'open') return refused(`account_${known.status}`);
    const name = `hold ${this.holds.size + 1}`;
    if (!this.hold(name, { account, amount, expiresAt })) return refused('insufficient_funds');
    this.tell('hold.created', name, 1);
    return { status: 201, resource: name };
  }

  capture({ hold: name, amount, to }: Of<'capture'>): Said {
    const gone = this.#gone(name);
    if (gone) return gone;
    if (!this.accounts.has(to)) return refused('resource_not_found');
    const hold = this.holds.get(name)!;
    if (to === hold.account) return refused('destination_invalid');
    const most = this.left(name);
    this.take(name, 'captured', amount < most ? amount : most);
    // An excess over the hold must be available, like any other money.
    const may = amount <= most ? { frozen: true, heldOn: hold.account } : {};
    const step = `captured_${hold.taken.length}`;
    const entry = this.post({ resource: name, step, movements: [{ debit: hold.account, credit: to, amount }] }, may);
    if (typeof entry === 'string') {
      hold.taken.pop();
      return refused(entry);
    }
    this.tell('hold.captured', name, hold.taken.length + 1, [entry]);
    return { status: 200, resource: name };
  }

  release({ hold: name, amount }: Of<'release'>): Said {
    const gone = this.#gone(name);
    if (gone) return gone;
    if (amount !== null && amount > this.left(name)) return refused('amount_above_maximum');
    this.take(name, 'released', amount ?? this.left(name));
    this.tell('hold.released', name, this.holds.get(name)!.taken.length + 1);
    return { status: 200, resource: name };
  }

  /** The refusal for a hold of which nothing can be taken. An overdue hold expires here. */
  #gone(name: string): Said | undefined {
    if (!this.holds.has(name)) return refused('resource_not_found');
    if (this.left(name) === 0n) return refused('state_conflict');
    const said = this.expire(name);
    return said.code ? said : undefined;
  }

  expire(name: string): Said {
    const hold = this.holds.get(name);
    if (!hold) return refused('resource_not_found');
    if (this.left(name) === 0n || hold.expiresAt === null || this.moment < hold.expiresAt)
      return { status: 200, resource: name };
    this.take(name, 'expired');
    this.tell('hold.expired', name, hold.taken.length + 1);
    return refused('state_conflict');
  }
}
