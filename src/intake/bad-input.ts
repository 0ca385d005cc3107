/** A file that is not valid. Nothing of it is stored or booked. */
export class BadInput extends Error {
  override name = 'BadInput';
  /** The row of the file, counted from 1 with the header; null where the whole file is meant. */
  readonly row: number | null;

  constructor(row: number | null, what: string) {
    super(row === null ? what : `Line ${row}: ${what}`);
    this.row = row;
  }
}
