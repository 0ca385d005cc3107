import type { ApiRuntime } from '../api/api-runtime.ts';
import type { RouteAnswer } from '../api/route.ts';
import { toJson } from '../values/json.ts';
import { PROBLEM_TYPE, type RequestContext } from './request-context.ts';

/** Sends an answer, with what its headers say of it. `applied` is the preference that was honored. */
export function sendAnswer(
  context: RequestContext,
  answer: RouteAnswer,
  { applied, runtime }: { applied: string | undefined; runtime: ApiRuntime },
): void {
  const headers = answer.headers ? [...answer.headers] : [];
  if (answer.replayed) headers.push('Idempotent-Replayed', 'true');
  if (applied !== undefined) headers.push('Preference-Applied', applied);
  const text = answer.text ?? (answer.json === undefined ? '' : toJson(answer.json));
  context.send({
    status: answer.status,
    body: runtime.withLinks(context.principal!.bookId, text, runtime.publicUrl),
    contentType: answer.status >= 400 ? PROBLEM_TYPE : undefined,
    headers,
  });
}
