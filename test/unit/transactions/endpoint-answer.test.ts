/** Answers of decision endpoints: their form, and what the rules take of them. */
import { expect, test } from 'vitest';
import type { DecisionEndpoint } from '../../../src/cards/program/program.ts';
import { StaleRead } from '../../../src/ledger/commit/stale-read.ts';
import { readDecisionAnswer } from '../../../src/transactions/decisions/api/decision-answer.ts';
import { answerInForce, type DecisionAnswer } from '../../../src/transactions/decisions/endpoint-answer.ts';

const approved = (approvedAmount: bigint | null, metadata = {}): DecisionAnswer => ({
  answer: { source: 'endpoint', decision: 'approved', approvedAmount },
  metadata,
});
const declined = (declineCode: 'decision_declined' | 'suspected_fraud', metadata = {}): DecisionAnswer => ({
  answer: { source: 'endpoint', decision: 'declined', declineCode },
  metadata,
});

test.each`
  response                                                                 | answer
  ${'{"decision":"approved"}'}                                             | ${approved(null)}
  ${' { "decision" : "approved", "decline_code" : null } '}                | ${approved(null)}
  ${'{"decision":"approved","approved_amount":4000}'}                      | ${approved(4_000n)}
  ${'{"decision":"approved","approved_amount":0}'}                         | ${approved(0n)}
  ${'{"decision":"approved","approved_amount":9007199254740991}'}          | ${approved(9_007_199_254_740_991n)}
  ${'{"decision":"approved","metadata":{"case":"7"}}'}                     | ${approved(null, { case: '7' })}
  ${'{"decision":"approved","approved_amount":1,"decline_code":null}'}     | ${approved(1n)}
  ${'{"decision":"declined"}'}                                             | ${declined('decision_declined')}
  ${'{"decision":"declined","approved_amount":0}'}                         | ${declined('decision_declined')}
  ${'{"decision":"declined","approved_amount":null}'}                      | ${declined('decision_declined')}
  ${'{"decision":"declined","decline_code":"suspected_fraud"}'}            | ${declined('suspected_fraud')}
  ${'{"decision":"declined","decline_code":null,"metadata":{"why":"no"}}'} | ${declined('decision_declined', { why: 'no' })}
`('$response is an answer', ({ response, answer }) => {
  expect(readDecisionAnswer(response)).toEqual(answer);
});

const WRONG = [
  '',
  'approved',
  'null',
  '[]',
  '"approved"',
  '{}',
  '{"decision":"approve"}',
  '{"decision":"APPROVED"}',
  '{"decision":true}',
  '{"decision":"approved","approved_amount":null}',
  '{"decision":"approved","approved_amount":-1}',
  '{"decision":"approved","approved_amount":1.5}',
  '{"decision":"approved","approved_amount":"4000"}',
  '{"decision":"approved","approved_amount":9007199254740992}',
  '{"decision":"approved","decline_code":"suspected_fraud"}',
  '{"decision":"declined","approved_amount":4000}',
  '{"decision":"declined","decline_code":"insufficient_funds"}',
  '{"decision":"approved","amount":4000}',
  '{"decision":"approved","metadata":{"case":7}}',
  '{"decision":"approved","metadata":["case"]}',
  '{"decision":"approved","metadata":{"card":"4242 4242 4242 4242"}}',
  `{"decision":"approved","metadata":{"${'k'.repeat(41)}":"v"}}`,
  `{"decision":"approved","metadata":{"k":"${'v'.repeat(501)}"}}`,
  '{"decision":"approved"',
  `${'['.repeat(100_000)}`,
];

test.each(WRONG.map((response) => ({ name: response.slice(0, 80), response })))(
  '$name is in a wrong form',
  ({ response }) => {
    expect(readDecisionAnswer(response)).toBeUndefined();
  },
);

const endpoint = (of: 'approve' | 'decline'): DecisionEndpoint => ({
  url: 'https://decisions.example/',
  timeoutMs: 1_000,
  default: of,
});
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v']));
const byDefault = (decision: 'approved' | 'declined') => ({ answer: { source: 'default', decision }, metadata: {} });

test.each`
  said                           | standing     | known       | answer
  ${null}                        | ${'approve'} | ${{}}       | ${byDefault('approved')}
  ${null}                        | ${'decline'} | ${{}}       | ${byDefault('declined')}
  ${approved(null)}              | ${'decline'} | ${{}}       | ${approved(null)}
  ${approved(null, { k0: 'w' })} | ${'decline'} | ${keys(50)} | ${approved(null, { k0: 'w' })}
  ${approved(null, { x: 'w' })}  | ${'decline'} | ${keys(49)} | ${approved(null, { x: 'w' })}
  ${approved(null, { x: 'w' })}  | ${'decline'} | ${keys(50)} | ${byDefault('declined')}
`('the rules take $answer', ({ said, standing, known, answer }) => {
  const of = endpoint(standing);
  expect(answerInForce({ url: of.url, answer: said }, of, known)).toEqual(answer);
});

test('the answer of another endpoint than the program has is asked for anew', () => {
  const consulted = { url: 'https://before.example/', answer: approved(null) };
  expect(() => answerInForce(consulted, endpoint('approve'), {})).toThrow(StaleRead);
});
