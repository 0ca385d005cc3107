import { describe, expect, test } from 'vitest';
import { inquireAtParty } from '../../../src/outside/calls/ask-party.ts';
import { afterNotFound, finalAfter, inquiryPauseMs } from '../../../src/outside/instructions/inquiry.ts';
import type { PartyAnswer } from '../../../src/outside/party/party.ts';
import { newId } from '../../../src/values/ids.ts';

const SENT_AT = 1_000_000;
const FINAL_AFTER_MS = 60_000;
const FINAL_AT = SENT_AT + FINAL_AFTER_MS;

test.each`
  idempotent | asOf            | now             | next
  ${true}    | ${FINAL_AT}     | ${FINAL_AT}     | ${'send_again'}
  ${true}    | ${FINAL_AT + 1} | ${SENT_AT}      | ${'never_received'}
  ${true}    | ${SENT_AT}      | ${FINAL_AT + 1} | ${'send_again'}
  ${true}    | ${undefined}    | ${FINAL_AT}     | ${'send_again'}
  ${true}    | ${undefined}    | ${FINAL_AT + 1} | ${'never_received'}
  ${false}   | ${SENT_AT}      | ${SENT_AT}      | ${'ask_again'}
  ${false}   | ${FINAL_AT + 1} | ${FINAL_AT + 1} | ${'never_received'}
`(
  'not found at $asOf by the party and $now by us, idempotent $idempotent: $next',
  ({ idempotent, asOf, now, next }) => {
    const party = { idempotent, notFoundFinalAfterMs: FINAL_AFTER_MS };
    expect(afterNotFound(party, { asOf }, { sentAt: SENT_AT, now })).toBe(next);
    expect(finalAfter(party, SENT_AT)).toBe(FINAL_AT);
  },
);

test("a party is asked by its own steps, then after twice the pause, up to a day and a tenth's spread", () => {
  const party = { inquiryDelaysMs: [2_000, 5_000] };
  const pauses = [0, 1, 2, 3, 30].map((inquiries) => inquiryPauseMs(party, { id: newId(), inquiries }));
  expect(pauses.slice(0, 2)).toEqual([2_000, 5_000]);
  for (const [at, whole] of [10_000, 20_000, 86_400_000].entries()) {
    expect(pauses[at + 2]).toBeLessThanOrEqual(whole);
    expect(pauses[at + 2]).toBeGreaterThanOrEqual(whole * 0.9);
  }
});

describe('what a call brings back', () => {
  const answer: PartyAnswer = { status: 'paid', endToEndId: 'ours', raw: {} };

  test.each`
    brings                                                         | result
    ${() => Promise.resolve(answer)}                               | ${'answer'}
    ${() => Promise.resolve({ ...answer, status: 'not_found' })}   | ${'not_found'}
    ${() => Promise.resolve({ ...answer, endToEndId: 'theirs' })}  | ${'unknown'}
    ${() => Promise.resolve({ ...answer, endToEndId: undefined })} | ${'unknown'}
    ${() => Promise.reject(new Error('away'))}                     | ${'unknown'}
    ${() => {
  throw new Error('away');
}} | ${'unknown'}
  `('$brings is $result', async ({ brings, result }) => {
    expect(await inquireAtParty('ours', brings)).toMatchObject({ result });
  });
});
