/** The invariants as an expectation of a test. */
import { inspect } from 'node:util';
import { expect } from 'vitest';
import { brokenInvariants, type InvariantsOf } from '../../scripts/faults/invariants-store.ts';

export { brokenInvariants } from '../../scripts/faults/invariants-store.ts';

/** Fails the test with every broken invariant. */
export async function expectInvariants(of: InvariantsOf): Promise<void> {
  const broken = await brokenInvariants(of);
  // The report of a run shows the message alone.
  expect(broken, inspect(broken, { depth: 6 })).toEqual({});
}
