/** The program of a book. */
import { found, storedAnswer } from '../../../api/answers.ts';
import { type RouteAnswer, type RouteRequest, route, routesSince } from '../../../api/route.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { answerSecretPlace, revealedAnswer } from '../../../idempotency/answer-secret.ts';
import { internalKey } from '../../../idempotency/idempotency-key.ts';
import type { OnceAnswer } from '../../../idempotency/once.ts';
import type { UseCase } from '../../../idempotency/use-case.ts';
import { loadBook } from '../../../ledger/book/book-store.ts';
import type { Uuid } from '../../../values/ids.ts';
import { newId } from '../../../values/ids.ts';
import { parseAllowList } from '../../../values/public-address.ts';
import { programs } from '../program-table.ts';
import { programView } from '../program-view.ts';
import { OVERLAP_DEFAULT_MS, requestProgramUpdate, requestSecretRoll } from '../update-program.ts';
import * as schemas from './program-schemas.ts';

const path = '/v1/cards/program';

const read = route({
  method: 'get',
  path,
  operation: 'getCardProgram',
  tag: 'Cards',
  summary: 'Retrieve the card program',
  description: 'How the cards of the book work. A book that never changed it has the defaults.',
  scope: 'cards:read',
  responses: { 200: { description: 'As it is now.', schema: schemas.program } },
  async handle({ runtime, principal: { bookId } }) {
    const book = found(await loadBook(runtime.pool, bookId));
    return { status: 200, json: programView(await programs.find(runtime.pool, bookId, bookId), book) };
  },
});

/** The stored answer has the secret sealed: for the key of the request, or for that of its command. */
async function runRevealing<Input extends { commandId: Uuid } & ReturnType<typeof askedBy>>(
  request: RouteRequest,
  useCase: UseCase<RouteRequest['runtime'], Input>,
  input: Input,
): Promise<RouteAnswer> {
  const answer = await runUseCase(request, useCase, input);
  return revealed(request, answer, request.idempotencyKey ?? internalKey(input.commandId));
}

function revealed({ runtime, principal }: RouteRequest, answer: RouteAnswer, key: string): RouteAnswer {
  const place = answerSecretPlace(principal.bookId, key);
  return { ...answer, text: revealedAnswer(answer.text!, runtime.secretBox, place) };
}

/** Only for requests with an idempotency key. */
function replay(request: RouteRequest, answer: OnceAnswer): RouteAnswer {
  return revealed(request, storedAnswer(answer), request.idempotencyKey!);
}

const update = route({
  method: 'patch',
  path,
  operation: 'updateCardProgram',
  tag: 'Cards',
  summary: 'Update the card program',
  description:
    'Holds for purchases from now on. The answer that sets the first decision endpoint shows the secret that signs what it is asked, and so does a repeat under the same `Idempotency-Key` while its answer is kept; nothing else does. In live mode the operator gives a key the scope by its name: `*` does not include it.',
  scope: 'cards:program',
  ifMatch: true,
  body: schemas.updateProgram,
  bodyExample: schemas.updateProgramExample,
  responses: { 200: { description: 'As it is now.', schema: schemas.program, mayShow: ['decision_secret'] } },
  errors: [
    'state_conflict',
    'currency_unsupported',
    'webhook_url_forbidden',
    'amount_not_integer',
    'amount_below_minimum',
    'amount_above_maximum',
  ],
  handle(request) {
    const { body, ifMatch, runtime } = request;
    const { WEBHOOK_ALLOW_HOSTS, WEBHOOK_ALLOW_PORTS } = runtime.config;
    return runRevealing(request, requestProgramUpdate, {
      ...askedBy(request),
      commandId: newId(),
      ifMatch,
      change: schemas.changeOf(body),
      allow: parseAllowList(WEBHOOK_ALLOW_HOSTS),
      ports: WEBHOOK_ALLOW_PORTS,
    });
  },
  replay,
});

const roll = route({
  method: 'post',
  path: `${path}/roll_secret`,
  operation: 'rollDecisionSecret',
  tag: 'Cards',
  summary: 'Roll the secret of the decision endpoint',
  description:
    'The answer shows the new secret, and so does a repeat under the same `Idempotency-Key` while its answer is kept. The secret before signs beside it until the overlap is over; a further roll is 409 until then, or with `overlap_seconds` 0.',
  scope: 'cards:program',
  ifMatch: true,
  body: schemas.rollSecret,
  bodyExample: { overlap_seconds: 3600 },
  responses: {
    200: { description: 'The new secret signs from now on.', schema: schemas.program, shows: ['decision_secret'] },
  },
  errors: ['state_conflict'],
  handle(request) {
    const { body, ifMatch, runtime } = request;
    const overlapMs = body.overlap_seconds === undefined ? OVERLAP_DEFAULT_MS : body.overlap_seconds * 1_000;
    return runRevealing(request, requestSecretRoll, {
      ...askedBy(request),
      commandId: newId(),
      ifMatch,
      previousSecretUntil: runtime.clock.now() + overlapMs,
    });
  },
  replay,
});

/** Static paths: before those with an id of a card. */
export const programRoutes = routesSince('0.4.0', [read, update, roll]);
