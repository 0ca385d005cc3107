/** Files of a bank about an object. */
export interface BankFiles {
  /** The file that it was sent to the bank in: its name, MsgId, and the place in it. */
  readonly sent?: { readonly file: string; readonly message_id: string; readonly line: number };
  /** The bank's own file, and the line that reported it. */
  readonly reported_by?: { readonly file: string; readonly line: number };
}
