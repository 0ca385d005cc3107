/**
 * What cannot even be read is found too. A value of another shape than the ledger writes (a list that is a number, a year
 * beyond the calendar) makes the code that reads it throw; a verifier that ends there would leave all else unseen.
 */
import type { CheckContext } from './check.ts';

/** Values that Postgres itself cannot take for what they should be (SQLSTATE class 22). */
const DATA_EXCEPTION = /^22...$/;

/** Resolves with what the work resolves with, or undefined where it met what cannot be read: then that is a finding. */
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
