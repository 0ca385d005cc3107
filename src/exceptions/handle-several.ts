/**
 * The same action on several exceptions. Each item is a command of its own with its own answer, and one that is refused hinders
 * no other. The last command keeps the answer of the whole under the key of the request.
 */
import { ApiError, ERRORS } from '../errors/errors.ts';
import { problemBody } from '../errors/problem.ts';
import { internalKey, type Stored } from '../idempotency/idempotency-key.ts';
import type { OnceAnswer } from '../idempotency/once.ts';
import { runOnce } from '../idempotency/run-once.ts';
import type { Asked, Prepared, UseCase } from '../idempotency/use-case.ts';
import type { Command } from '../ledger/command/command.ts';
import { Draft } from '../ledger/command/draft.ts';
import { retryStaleReads } from '../ledger/commit/stale-read.ts';
import { deriveId, newId, publicId, type Uuid } from '../values/ids.ts';
import { writeJson } from '../values/json.ts';
import { exceptionResource } from './exception-resource.ts';
import { exceptions } from './exception-table.ts';
import { type ApprovalRuntime, requestApproval, requestAssign } from './handle-exception.ts';

type Several<Input extends Asked> = Asked & { readonly items: readonly Omit<Input, keyof Asked>[] };
type InputOf<Case> = Case extends UseCase<ApprovalRuntime, infer Input> ? Input : never;

export const requestAssignments = eachOf<InputOf<typeof requestAssign>>(requestAssign);
export const requestApprovals = eachOf<InputOf<typeof requestApproval>>(requestApproval);

/** One item after the other, so that a request takes one place among those of its book. */
function eachOf<Input extends Asked & { readonly exceptionId: Uuid }>(
  useCase: UseCase<ApprovalRuntime, Input>,
): UseCase<ApprovalRuntime, Several<Input>> {
  return {
    keyFirst: true,
    async prepare(runtime, { items, ...asked }): Promise<Prepared> {
      const outcomes: Outcome[] = [];
      for (const item of items as readonly Omit<Input, keyof Asked>[]) {
        const { exceptionId } = item as { readonly exceptionId: Uuid };
        // Once under the request's key: after a crash the same request goes on.
        const seed = asked.idempotencyKey ?? asked.requestId;
        const input = { ...asked, ...item, idempotencyKey: internalKey(deriveId('exception_item', seed, exceptionId)) };
        const answer = await once(runtime, useCase, input as unknown as Input).catch(
          refusalOf(asked.requestId, runtime.publicUrl),
        );
        outcomes.push({ exceptionId, ...answer });
      }
      return { command: answerWith(outcomes, asked) };
    },
  };
}

function once<Input extends Asked>(
  runtime: ApprovalRuntime,
  useCase: UseCase<ApprovalRuntime, Input>,
  input: Input,
): Promise<OnceAnswer> {
  const { bookId, idempotencyKey: key, fingerprint, requestId } = input;
  return retryStaleReads(async () => {
    const { command } = await useCase.prepare(runtime, input);
    return runOnce(runtime, { bookId, key, fingerprint, requestId, command });
  });
}

interface Outcome extends Pick<OnceAnswer, 'status' | 'body'> {
  readonly exceptionId: Uuid;
}

/** Throws what is no refusal of the item: the request may be sent again. */
function refusalOf(requestId: Uuid, publicUrl: string): (error: unknown) => Pick<OnceAnswer, 'status' | 'body'> {
  return (error) => {
    if (!(error instanceof ApiError)) throw error;
    const { code, message: detail, fieldErrors, retryable, facts } = error;
    const { status, retryable: usually } = ERRORS[code];
    if (status >= 500 || (retryable ?? usually)) throw error;
    return { status, body: problemBody({ code, detail, fieldErrors, retryable, facts, requestId, publicUrl }) };
  };
}

/** Shows each exception as it is in the commit, so that its texts are kept where they can be erased. */
function answerWith(outcomes: readonly Outcome[], { requestId, actor }: Asked): Command<Stored> {
  const origin = { id: newId(), requestId, actor };
  const done = outcomes.filter(({ status }) => status < 400);
  return {
    ...origin,
    name: 'exceptions.answer',
    touches: [{ table: exceptions, ids: done.map(({ exceptionId }) => exceptionId) }],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const data = outcomes.map(({ exceptionId, status, body }) => ({
        id: publicId('exception', exceptionId),
        status,
        exception: status < 400 ? exceptionResource.view(draft.get(exceptions, exceptionId)!, draft) : null,
        problem: status < 400 ? null : (JSON.parse(body) as unknown),
      }));
      const body = writeJson({ object: 'exception_answers', data });
      // Several resources, and of one that is refused none: the book stands for them.
      return draft.finish({ status: 200, body, resource: 'book', resourceId: draft.book.id });
    },
  };
}
