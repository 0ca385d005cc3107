/** A job to enqueue once the commit is certain: pool, job and row id. Losing a job only costs time. */
export interface JobRow {
  readonly pool: string;
  readonly job: string;
  readonly id: string;
}
