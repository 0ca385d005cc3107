/** Inserts of one row by two processes at once. */

const UNIQUE_VIOLATION = '23505';

/**
 * Of two that insert the same row at once, ON CONFLICT leads the second one to it by the index that it names; where both are past that index
 * and meet at a further unique one, Postgres refuses the second one. It comes once more then, and finds the row. Throws what the second attempt
 * throws.
 */
export async function meetTwin<Result>(insert: () => Promise<Result>): Promise<Result> {
  try {
    return await insert();
  } catch (error) {
    if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error;
    return insert();
  }
}
