/** Where the sandbox's own secrets are sealed: for the sandbox, and for whoever seals all of an installation anew (operations/rekey.ts). */
import type { SealedPlace } from '../db/secret-box.ts';

/** Of what numbers and codes are made with. */
export const SANDBOX_SECRET_PLACE: SealedPlace = sandboxPlace('secrets', '1');

/** Of the number of a counter. */
export function sandboxNumberPlace(counter: bigint | string): SealedPlace {
  return sandboxPlace('numbers', String(counter));
}

function sandboxPlace(table: string, rowId: string): SealedPlace {
  return { bookId: null, table: `sandbox_processor.${table}`, column: 'sealed', rowId };
}
