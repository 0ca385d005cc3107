/** What a line of an account shows beside what the ledger knows of it: references and texts of its resource. */

export interface LineText {
  readonly externalId: string | null;
  readonly endToEndId: string | null;
  /** Who is on the other side: masked where it is a person. */
  readonly counterparty: string | null;
  readonly description: string | null;
}

/** Each an SQL expression over `r`, the row of the resource, and `p`, the row that it belongs to. Left out: always null. */
export interface LineTextColumns extends Partial<Record<keyof LineText, string>> {
  /** The row that it belongs to: `column` of the resource is `key` of the table. */
  readonly of?: { readonly table: string; readonly key: string; readonly column: string };
}
