/** The invariants as an expectation of a test. */
import { expect } from 'vitest';
import { brokenInvariants, type InvariantsOf } from '../../scripts/faults/invariants-store.ts';

export { brokenInvariants } from '../../scripts/faults/invariants-store.ts';

/** Fails the test with every broken invariant. */
export async function expectInvariants(of: InvariantsOf): Promise<void> {
  expect(await brokenInvariants(of)).toEqual({});
}
