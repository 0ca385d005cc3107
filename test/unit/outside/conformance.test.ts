/** The suite itself: a party of another kind passes it, and one that breaks a rule fails the case of that rule. */
import { expect, test } from 'vitest';
import { CONFORMANCE, describeConformance } from '../../support/conformance.ts';
import { ACQUIRER_FAULTS, type AcquirerFault, acquirerAdapter } from '../../support/memory-acquirer.ts';

describeConformance('an acquirer', async () => acquirerAdapter());

const CAUGHT_BY: Readonly<Record<AcquirerFault, string>> = {
  'moves again': 'idempotent',
  'answers anew': 'idempotent',
  'forgets what broke off': 'unknown',
  'tells nothing later': 'late',
  'forgets acknowledgements': 'twice',
  'renames its notices': 'twice',
  'overwrites its notices': 'contradicting',
  'takes another amount': 'contradicting',
  'takes what is too late': 'never received',
  'answers about another id': 'never received',
  'ends no call': 'limits kept',
  'returns all pages': 'limits kept',
};

test.each(ACQUIRER_FAULTS)('a party that %s fails', async (fault) => {
  const broken = CONFORMANCE.find(({ name }) => name.startsWith(CAUGHT_BY[fault]))!;
  await expect(broken.run(acquirerAdapter(fault))).rejects.toThrow();
});

test('each case is failed by a broken party', () => {
  const caught = new Set(Object.values(CAUGHT_BY));
  expect(CONFORMANCE.map(({ name }) => name.split(':')[0])).toEqual([...caught]);
});
