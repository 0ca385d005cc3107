/**
 * Reports rows that cannot even be read. A value of another shape than the ledger writes (a number in place of a list,
 * a year beyond the calendar) makes the code that reads it throw. A verifier that ended there would leave the rest
 * unchecked.
 */
import type { CheckContext } from '../group/check-context.ts';

/** Values that Postgres itself cannot convert (SQLSTATE class 22). */
const DATA_EXCEPTION = /^22...$/;

/** Resolves with the result of `work`. When a row cannot be read, reports a finding and resolves with undefined. */
export async function whereReadable<Answer>(
  { report }: Pick<CheckContext, 'report'>,
  what: string,
  work: () => Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!isAboutData(error)) throw error;
    report({
      check: 'book.readable',
      ids: { rows: what },
      expected: 'rows as the ledger writes them',
      actual: String(error),
      detail: `Of the ${what}, one cannot be read as what it should be, and those behind it were not checked.`,
    });
    return undefined;
  }
}

function isAboutData(error: unknown): boolean {
  const isShape = error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
  return isShape || DATA_EXCEPTION.test(String((error as { code?: unknown }).code));
}
