/** What the reference bank does with a payment, by the last word of its payee's name. A name without such a word is paid. */

export interface Play {
  /** The bank rejects it with this reason. */
  readonly rejects?: string;
  /** The bank takes it, and no word follows. */
  readonly isSilent?: true;
  /** The payee's bank sends it back, with this reason. */
  readonly returns?: string;
}

export const PLAYS: Readonly<Record<string, Play>> = {
  CLOSED: { rejects: 'AC04' },
  BLOCKED: { rejects: 'AC06' },
  UNKNOWN: { rejects: 'AC01' },
  /** The customer's own account is short. */
  UNFUNDED: { rejects: 'AM04' },
  SILENT: { isSilent: true },
  RETURNED: { returns: 'AC04' },
};

const USUAL: Play = {};

export const playNamed = (name: string): Play => PLAYS[name] ?? USUAL;

/** The name of the play, for the records. */
export function playFor(payeeName: string): string {
  const word = payeeName.trim().split(/\s+/).at(-1)!.toUpperCase();
  return word in PLAYS ? word : 'PAID';
}
