/** What must hold whatever has happened, as an expectation of a test. */
import { expect } from 'vitest';
import { brokenInvariants, type InvariantsOf } from '../../scripts/faults/invariants-store.ts';

export { brokenInvariants } from '../../scripts/faults/invariants-store.ts';

/** Fails the test with all that is wrong. */
export async function expectInvariants(of: InvariantsOf): Promise<void> {
  expect(await brokenInvariants(of)).toEqual({});
}
