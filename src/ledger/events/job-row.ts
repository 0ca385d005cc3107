/** A job to enqueue once the commit is certain: pool, job and row id. Losing a job only costs time. */
export interface JobRow {
  readonly pool: string;
  readonly job: string;
  readonly id: string;
  /** Of bulk work: jobs of the same book that are not go first. */
  readonly behind?: boolean;
}
