/** What a call to a party brings back. No answer, and an answer about another id, are both "unknown": never guessed. */
import type { NotFound, PartyAnswer } from './party.ts';

export type Heard<Answer extends PartyAnswer> =
  | Said<Answer>
  /** Settled by inquiry. `raw` is kept as evidence. */
  | { readonly said: 'unknown'; readonly raw: { readonly error: string } };

/** Of each answer that the call may have. */
type Said<Answer extends PartyAnswer> = Answer extends NotFound
  ? { readonly said: 'not_found'; readonly answer: NotFound }
  : { readonly said: 'answer'; readonly answer: Answer };

/** Makes one call about one id. Never rejects: whatever a call throws leaves the outcome unknown. */
export async function askParty<Answer extends PartyAnswer>(
  endToEndId: string,
  call: () => Promise<Answer>,
): Promise<Heard<Answer>> {
  let answer: Answer;
  try {
    answer = await call();
  } catch (error) {
    return { said: 'unknown', raw: { error: error instanceof Error ? error.message : String(error) } };
  }
  if (answer.endToEndId !== endToEndId) {
    return { said: 'unknown', raw: { error: `The answer is about ${String(answer.endToEndId).slice(0, 100)}` } };
  }
  return { said: answer.status === 'not_found' ? 'not_found' : 'answer', answer } as unknown as Said<Answer>;
}
