/** Compares the payment that a rail reports with the payout that it was given. */
import type { Confirmation } from '../../outside/party/party.ts';
import { isDuplicate } from '../../rails/failure-codes.ts';
import type { Confirms, Rail } from '../../rails/rail.ts';
import type { Payout } from './payout.ts';

export const MISMATCH_KINDS = [
  'rail_amount_mismatch',
  'rail_currency_mismatch',
  'rail_payee_mismatch',
  'rail_duplicate',
] as const;

/** A fact of the rail's report that is not the payout's. */
export interface RailMismatch {
  readonly kind: (typeof MISMATCH_KINDS)[number];
  /** In words, without personal text. */
  readonly detail: string;
}

export const NO_MISMATCH: readonly RailMismatch[] = [];

/** A report of a rail, as far as it is compared. */
export interface ComparedReport {
  readonly status: 'paid' | 'rejected' | 'pending' | 'returned';
  readonly confirmed?: Confirmation | undefined;
  /** The rail's own code of a rejection. */
  readonly code?: string | null | undefined;
}

/**
 * Whatever the report names must be the payout's. A `paid` must also name each fact that the rail declares: one that is left out
 * is a mismatch too, since nothing shows what was moved. `payee` is only asked where a payee is compared.
 */
export function mismatchesOf(
  rail: Pick<Rail, 'confirms' | 'payeeDigest'>,
  payout: Payout,
  report: ComparedReport,
  payee: () => string | undefined,
): readonly RailMismatch[] {
  const confirmed = report.confirmed ?? NOTHING;
  const demanded = report.status === 'paid' ? rail.confirms : NONE_DEMANDED;
  let found: RailMismatch[] | undefined;
  const compare = (
    kind: RailMismatch['kind'],
    fact: { matches: boolean | undefined; demanded: boolean; wrong: string; missing: string },
  ) => {
    if (fact.matches ?? !fact.demanded) return;
    found ??= [];
    found.push({ kind, detail: fact.matches === false ? fact.wrong : fact.missing });
  };

  // It is about the id that the rail has already, not about what became of it.
  compare('rail_duplicate', {
    matches: report.status === 'rejected' && isDuplicate(report.code) ? false : undefined,
    demanded: false,
    wrong: `The rail rejects the payout as one that it has already (${report.code}), and does not say what became of that.`,
    missing: '',
  });
  const { amount, currency, payeeDigest } = confirmed;
  compare('rail_amount_mismatch', {
    matches: amount === undefined ? undefined : amount === payout.amount,
    demanded: demanded.amount,
    wrong: `The rail says ${report.status} of ${amount}; the payout is of ${payout.amount}.`,
    missing: 'The rail says paid and leaves out the amount, which it declares to confirm.',
  });
  compare('rail_currency_mismatch', {
    matches: currency === undefined ? undefined : currency === payout.currency,
    demanded: demanded.currency,
    wrong: `The rail says ${report.status} in ${String(currency).slice(0, 16)}; the payout is in ${payout.currency}.`,
    missing: 'The rail says paid and leaves out the currency, which it declares to confirm.',
  });
  compare('rail_payee_mismatch', {
    matches: payeeDigest === undefined ? undefined : isPayee(rail, payout, { payeeDigest, payee: payee() }),
    demanded: demanded.payee,
    wrong: `The rail says ${report.status} to another payee than that of the payout.`,
    missing: 'The rail says paid and leaves out the payee, whom it declares to confirm.',
  });
  return found ?? NO_MISMATCH;
}

/** A payee that was erased can be compared with nobody. */
function isPayee(
  rail: Pick<Rail, 'payeeDigest'>,
  { endToEndId }: Payout,
  { payeeDigest, payee }: { payeeDigest: string; payee: string | undefined },
): boolean {
  return payee === undefined || payeeDigest === rail.payeeDigest(endToEndId, payee);
}

const NOTHING: Confirmation = {};
const NONE_DEMANDED: Confirms = { amount: false, currency: false, payee: false };
