/**
 * Works through the rows of a job, several at a time. One row's failure never fails the job: it is handed to `onError`,
 * which marks the row stuck, and the others go on. When even that fails (the database is away) the row stays as it is and
 * the sweeper rings for it again.
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
          // The row is still due: it will be rung again.
        }
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(Math.max(concurrency, 1), ids.length) }, worker));
}
