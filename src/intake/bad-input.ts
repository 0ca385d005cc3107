/** A file that is not what it should be. Nothing of it is kept or booked. */
export class BadInput extends Error {
  override name = 'BadInput';
  /** The row of the file, counted from 1 with the header; null where it is the file as a whole. */
  readonly row: number | null;

  constructor(row: number | null, what: string) {
    super(row === null ? what : `Line ${row}: ${what}`);
    this.row = row;
  }
}
