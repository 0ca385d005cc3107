/** What the iso20022 rail is reported of its bank: the members of its adapter in RAILS_FILE, and the terms of the rail (docs/rails.md). */
import { join } from 'node:path';
import type { ExecutionSchedule } from '../../calendar/execution-day.ts';
import type { Iso20022Settings } from '../settings/bank-adapter.ts';
import type { RailSettings, RailTerms } from '../settings/rail-settings.ts';

export interface BankSettings {
  /** Of the rail. */
  readonly name: string;
  readonly mode: 'live' | 'test';
  readonly currencies: readonly string[];
  /** The account that its files debit. */
  readonly debtor: { readonly name: string; readonly iban: string; readonly bic: string };
  /** Debtor accounts of the rails at this bank, its own first: what a camt.054 reports of any but its own is not counted. */
  readonly accounts: readonly ReportedAccount[];
  /** `iso`: pain.001.001.10. `epc`: pain.001.001.09 by the EPC's customer-to-PSP guidelines (EPC132-08), euro alone. */
  readonly profile: 'iso' | 'epc';
  readonly characters: 'epc' | 'utf8';
  /** Whether the bank refuses a payment without the payee's address. */
  readonly needsAddress: boolean;
  /** BtchBookg of its files; null leaves it to the bank. */
  readonly batchBooking: boolean | null;
  /** Whether ACSC and ACCC of a pain.002 pay, beside booked debits. */
  readonly paidByStatus: boolean;
  readonly folders: BankFolders;
  readonly file: { readonly paymentsMax: number; readonly ageMaxMs: number };
  /** What is submitted from its cut-off on is executed on the next business day. */
  readonly schedule: ExecutionSchedule;
  /** A file whose size has not changed for so long is read. */
  readonly inboxRestsMs: number;
  /** Business days behind the day of execution, after which silence is an exception. */
  readonly silentAfterDays: number;
}

/** A debtor account as files of its bank name it. */
export interface ReportedAccount {
  readonly iban: string;
  /** Further names. */
  readonly reportedAs: readonly string[];
}

export interface BankFolders {
  /** The bank takes files from here. */
  readonly outbox: string;
  /** The bank puts files here. */
  readonly inbox: string;
  /** The rail's own. */
  readonly staging: string;
  readonly sent: string;
  readonly done: string;
  readonly quarantine: string;
}

/** The banks of the rails that work by files. */
export function banksOf({ rails }: Pick<RailSettings, 'rails'>): BankSettings[] {
  const all = [...rails.values()].flatMap((terms) =>
    terms.adapter.type === 'iso20022' ? [{ terms, adapter: terms.adapter }] : [],
  );
  return all.map(({ terms, adapter }) => {
    const others = all.filter((one) => one.terms.mode === terms.mode && one.adapter.debtor.bic === adapter.debtor.bic);
    return bankOf(terms, adapter, [adapter, ...others.map((one) => one.adapter).filter((one) => one !== adapter)]);
  });
}

/** Rules between the terms and the adapter: rails-rules.ts. */
function bankOf(
  { name, mode, amounts, schedule }: RailTerms,
  adapter: Iso20022Settings,
  ofBank: readonly Iso20022Settings[],
): BankSettings {
  const { outbox, inbox, work } = adapter.folders;
  return {
    ...{ name, mode, currencies: [...amounts.keys()], schedule: schedule! },
    debtor: { name: adapter.debtor.name, iban: adapter.debtor.iban, bic: adapter.debtor.bic },
    accounts: ofBank.map(({ debtor }) => ({ iban: debtor.iban, reportedAs: debtor.reported_as })),
    profile: adapter.profile,
    characters: adapter.characters,
    needsAddress: adapter.payee_address === 'required',
    batchBooking: adapter.batch_booking ?? null,
    paidByStatus: adapter.paid_by === 'status',
    folders: {
      ...{ outbox, inbox, staging: join(work, 'staging'), sent: join(work, 'sent') },
      ...{ done: join(work, 'done'), quarantine: join(work, 'quarantine') },
    },
    file: { paymentsMax: adapter.payments_per_file, ageMaxMs: adapter.file_after_seconds * 1_000 },
    inboxRestsMs: adapter.inbox_rests_seconds * 1_000,
    silentAfterDays: adapter.silent_after_days,
  };
}
