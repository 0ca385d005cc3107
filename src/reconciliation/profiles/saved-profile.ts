/**
 * A saved profile of CSV files: what the columns of a bank's export are. It never changes, so a run that names it reads the same file alike for
 * good.
 * Next: saved-profile-table.ts (its rows), propose-profile.ts (finds one for a file), save-profile.ts.
 */
import type { Instant } from '../../values/clock.ts';
import { publicId, type Uuid } from '../../values/ids.ts';
import type { BankAccount } from '../accounts/bank-account.ts';
import type { CsvProfile } from '../reading/read-csv.ts';

/** What a profile states of files. */
export type CsvForm = Omit<CsvProfile, 'account' | 'currency'>;

export interface SavedProfile extends CsvForm {
  readonly id: Uuid;
  /** For people. */
  readonly name: string;
  readonly requestId: Uuid;
  readonly createdAt: Instant;
}

/** A file of CSV states no account: whoever takes it does. */
/** As a CSV of an account that its book compares is read: the file itself names no account. */
export function asBankAccount({ id, currency }: { readonly id: Uuid; readonly currency: string }) {
  return { identifiers: [publicId('account', id)], currency };
}

export function profileFor(
  { delimiter, encoding, skip, columns, decimal, group, dateFormat }: CsvForm,
  { identifiers, currency }: Pick<BankAccount, 'identifiers' | 'currency'>,
): CsvProfile {
  return {
    ...{ delimiter, encoding, skip, columns, decimal, group, dateFormat },
    ...{ account: identifiers[0]!, currency },
  };
}
