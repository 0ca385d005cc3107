/** What the reference says of the sandbox's test numbers, at the field that takes one. */
import { type CardScript, TEST_CARDS } from '../../../acquirers/test-cards.ts';

/** Of the scripts that are no decline code: a decline is named by its code. */
const OUTCOMES: Partial<Record<CardScript, string>> = {
  approved: 'approved',
  unanswered: 'times out, and turns out paid',
  lost: 'times out, and was never received',
  challenge: 'asks for a challenge; without `return_url` declined with `authentication_required`',
  challenge_declined: 'declined with `generic_decline` once its challenge was passed',
  disputed: 'approved, and disputed as soon as it is captured',
  refund_fails: 'approved; each of its refunds fails after it succeeded',
};

/** A Markdown list: a line for each outcome. */
export function listTestNumbers(): string {
  const numbers = new Map<CardScript, string[]>();
  for (const [number, { script }] of TEST_CARDS) numbers.set(script, [...(numbers.get(script) ?? []), `\`${number}\``]);
  return [...numbers]
    .map(([script, known]) => `- ${known.join(', ')}: ${OUTCOMES[script] ?? `declined with \`${script}\``}`)
    .join('\n');
}
