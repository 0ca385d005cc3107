/** The outcome of a call to a party. Without an answer, or with one about another id, it is "unknown", never a guess. */
import type { NotFound, PartyAnswer } from '../party/party.ts';

export type CallOutcome<Answer> =
  | { readonly result: 'answer'; readonly answer: Answer }
  /** An inquiry follows. `raw` is stored as evidence. */
  | { readonly result: 'unknown'; readonly raw: { readonly error: string } };

export type InquiryOutcome<Answer> = CallOutcome<Answer> | { readonly result: 'not_found'; readonly answer: NotFound };

/** Makes one call about one id. Never rejects: whatever a call throws leaves the outcome unknown. */
export async function askParty<Answer extends PartyAnswer>(
  endToEndId: string,
  call: () => Promise<Answer>,
): Promise<CallOutcome<Answer>> {
  let answer: Answer;
  try {
    answer = await call();
  } catch (error) {
    return { result: 'unknown', raw: { error: error instanceof Error ? error.message : String(error) } };
  }
  if (answer.endToEndId !== endToEndId) {
    return { result: 'unknown', raw: { error: `The answer is about ${String(answer.endToEndId).slice(0, 100)}` } };
  }
  return { result: 'answer', answer };
}

/** Inquires about an id. Never rejects. */
export async function inquireAtParty<Answer extends PartyAnswer>(
  endToEndId: string,
  inquire: () => Promise<Answer | NotFound>,
): Promise<InquiryOutcome<Answer>> {
  const outcome = await askParty<Answer | NotFound>(endToEndId, inquire);
  if (outcome.result === 'unknown') return outcome;
  const { answer } = outcome;
  return isNotFound(answer) ? { result: 'not_found', answer } : { result: 'answer', answer: answer as Answer };
}

function isNotFound(answer: PartyAnswer): answer is NotFound {
  return answer.status === 'not_found';
}
