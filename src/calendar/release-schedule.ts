/** When captures are released: so many calendar days later, at the start of the day in the book's time zone (API.md §4). */
export interface ReleaseSchedule {
  readonly days: number;
  /** Only what the acquirer has paid is released. */
  readonly onceSettled: boolean;
}
