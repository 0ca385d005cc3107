/** Postings of a card purchase, by the roles that accounts of the book play in it. */

export type BookRole = 'customer' | 'scheme_settlement' | 'due_operator' | 'pool';

export interface RolePosting {
  readonly debit: BookRole;
  readonly credit: BookRole;
  /** Above zero. */
  readonly amount: bigint;
}

/** The entry of a message. */
export interface MessageEntry {
  readonly reference: string;
  readonly postings: readonly RolePosting[];
}

/** The posting of a movement, the other way for an amount below zero; none of nothing. */
export function movement(debit: BookRole, credit: BookRole, amount: bigint): RolePosting[] {
  if (amount === 0n) return [];
  return amount > 0n ? [{ debit, credit, amount }] : [{ debit: credit, credit: debit, amount: -amount }];
}

/** What postings add to the customer's posted balance. */
export function toCustomer(postings: readonly RolePosting[]): bigint {
  return postings.reduce((sum, { debit, credit, amount }) => {
    if (credit === 'customer') return sum + amount;
    return debit === 'customer' ? sum - amount : sum;
  }, 0n);
}
