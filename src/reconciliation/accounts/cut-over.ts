/**
 * The cut-over of a party: what the books state of it before the opening of a bank account is in that opening already. The first bank account of a
 * currency that names the party cuts it over; a second one closes nothing again.
 * Next: cut-over-of-account.ts, openings/close-before.ts.
 */
import type { Instant } from '../../values/clock.ts';
import { parsePublicId, type Uuid } from '../../values/ids.ts';
import type { BankAccount } from './bank-account.ts';

export interface PartyCutOver {
  /** Currency and party. */
  readonly id: string;
  readonly currency: string;
  /** Null: whoever pays in. */
  readonly party: string | null;
  readonly bankAccountId: Uuid;
  /** Of its opening. */
  readonly openingOn: string;
  readonly createdAt: Instant;
}

type Named = Pick<BankAccount, 'currency' | 'holds' | 'parties'>;

/** The parties of an account. Customers pay in where their money stands, and are no party. */
export function partiesOf({ holds, parties }: Omit<Named, 'currency'>): readonly (string | null)[] {
  const named: (string | null)[] = [...new Set(parties.map(({ party }) => party))];
  return holds === 'customer_money' ? [...named, null] : named;
}

export function cutOverId(currency: string, party: string | null): string {
  return `${currency} ${party ?? ''}`;
}

const NAMEABLE = ['payout', 'payoutReturn', 'inboundTransfer', 'acquirerReport'] as const;

/** Those of what is outstanding that are ids of ours. The others are end-to-end ids. */
export function outstandingIdsOf(outstanding: readonly string[]): Uuid[] {
  return outstanding.flatMap((text) => {
    for (const kind of NAMEABLE) {
      const id = parsePublicId(kind, text);
      if (id !== undefined) return [id];
    }
    return [];
  });
}
