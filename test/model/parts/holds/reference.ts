/** The reference's holds: placed, increased, captured in parts or for more, released, expired. */
import type { ReferenceBook } from '../../reference-book.ts';
import { refused, type Said } from '../../reference-ledger.ts';

export interface PlaceHold {
  readonly account: string;
  readonly amount: bigint;
  readonly expiresAt: number | null;
}

export interface CaptureHold {
  readonly hold: string;
  /** May be more than the hold has left. */
  readonly amount: bigint;
  readonly to: string;
}

export interface ReleaseHold {
  readonly hold: string;
  readonly amount: bigint | null;
}

export interface IncreaseHold {
  readonly hold: string;
  /** The amount that is reserved more. */
  readonly by: bigint;
}

export function place(book: ReferenceBook, { account, amount, expiresAt }: PlaceHold): Said {
  const known = book.accounts.get(account);
  if (!known) return refused('resource_not_found');
  if (known.status !== 'open') return refused(`account_${known.status}`);
  const name = `hold ${book.holds.size + 1}`;
  if (!book.hold(name, { account, amount, expiresAt })) return refused('insufficient_funds');
  book.tell('hold.created', name, 1);
  return { status: 201, resource: name };
}

export function capture(book: ReferenceBook, { hold: name, amount, to }: CaptureHold): Said {
  const gone = goneFrom(book, name);
  if (gone) return gone;
  if (!book.accounts.has(to)) return refused('resource_not_found');
  const hold = book.holds.get(name)!;
  if (to === hold.account) return refused('destination_invalid');
  const most = book.left(name);
  book.take(name, 'captured', amount < most ? amount : most);
  // An excess over the hold must be available, like any other money.
  const may = amount <= most ? { frozen: true, heldOn: hold.account } : {};
  const step = `captured_${hold.steps.length}`;
  const entry = book.post({ resource: name, step, movements: [{ debit: hold.account, credit: to, amount }] }, may);
  if (typeof entry === 'string') {
    hold.steps.pop();
    return refused(entry);
  }
  book.tell('hold.captured', name, hold.steps.length + 1, [entry]);
  return { status: 200, resource: name };
}

export function increase(book: ReferenceBook, { hold: name, by }: IncreaseHold): Said {
  const gone = goneFrom(book, name);
  if (gone) return gone;
  if (!book.increase(name, by)) return refused('insufficient_funds');
  book.tell('hold.increased', name, book.holds.get(name)!.steps.length + 1);
  return { status: 200, resource: name };
}

export function release(book: ReferenceBook, { hold: name, amount }: ReleaseHold): Said {
  const gone = goneFrom(book, name);
  if (gone) return gone;
  if (amount !== null && amount > book.left(name)) return refused('amount_above_maximum');
  book.take(name, 'released', amount ?? book.left(name));
  book.tell('hold.released', name, book.holds.get(name)!.steps.length + 1);
  return { status: 200, resource: name };
}

export function expire(book: ReferenceBook, name: string): Said {
  const hold = book.holds.get(name);
  if (!hold) return refused('resource_not_found');
  if (book.left(name) === 0n || hold.expiresAt === null || book.moment < hold.expiresAt)
    return { status: 200, resource: name };
  book.take(name, 'expired');
  book.tell('hold.expired', name, hold.steps.length + 1);
  return refused('state_conflict');
}

/** The refusal for a hold of which nothing can be taken. An overdue hold expires here. */
function goneFrom(book: ReferenceBook, name: string): Said | undefined {
  if (!book.holds.has(name)) return refused('resource_not_found');
  if (book.left(name) === 0n) return refused('state_conflict');
  const said = expire(book, name);
  return said.code ? said : undefined;
}
