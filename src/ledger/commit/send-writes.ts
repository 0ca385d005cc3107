/**
 * Sends the writes of a batch, and COMMIT behind them unless a statement could not be built: a table refuses the change,
 * or a value cannot be serialized. Such a failure occurs before this turn's statements are sent, so the server would not
 * know of it.
 */
export async function sendWrites(sent: readonly Promise<void>[], commitBehind: () => void): Promise<void> {
  let whole = true;
  for (const statement of sent) {
    statement.catch(() => {
      whole = false;
    });
  }
  await new Promise<void>((resolve) => process.nextTick(resolve));
  if (whole) commitBehind();
  // After one statement fails, Postgres rejects all that follow. The first failure is the cause.
  const failed = (await Promise.allSettled(sent)).find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
}
