/** The answers that docs/cards.md shows are answers of a decision endpoint. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readDecisionAnswer } from '../../../src/transactions/decisions/api/decision-answer.ts';

const guide = readFileSync(new URL('../../../docs/cards.md', import.meta.url), 'utf8');

test('an approval of a part, and a decline', () => {
  const answers = [...guide.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text]) => readDecisionAnswer(text!));
  expect(answers).toEqual([
    { answer: { source: 'endpoint', decision: 'approved', approvedAmount: 2_000n }, metadata: { score: '12' } },
    { answer: { source: 'endpoint', decision: 'declined', declineCode: 'suspected_fraud' }, metadata: {} },
  ]);
});
