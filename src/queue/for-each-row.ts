/**
 * Works through the rows of a job, several at a time. The failure of one row never fails the job: `onError` gets the
 * row and marks it stuck, and the other rows are still handled. When `onError` fails too (the database is unreachable), the row
 * stays as it is and the sweeper enqueues it again.
 */
export async function forEachRow<Id>(
  ids: readonly Id[],
  {
    concurrency,
    work,
    onError,
  }: {
    concurrency: number;
    work: (id: Id) => Promise<unknown>;
    onError: (id: Id, error: unknown) => Promise<unknown> | unknown;
  },
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < ids.length) {
      const id = ids[next++]!;
      try {
        await work(id);
      } catch (error) {
        try {
          await onError(id, error);
        } catch {
          // The row is still due: the sweeper enqueues it again.
        }
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(Math.max(concurrency, 1), ids.length) }, worker));
}
