/** Changes a book's program, and rolls the secret of its endpoint. A member that is left out stays as it is; where all do, nothing is written. */
import type { SecretBox } from '../../db/secret-box.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { differenceFrom, previousAttributes } from '../../ledger/events/previous-attributes.ts';
import { refuseUrl, requireUrl, type UrlRules } from '../../outside/connections/endpoint-url.ts';
import { formatInstant, type Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { writeJson } from '../../values/json.ts';
import { type Program, withChange } from './program.ts';
import { programErrors } from './program-errors.ts';
import { programSecretPlace, type SealedSecret, sealNewSecret } from './program-secret.ts';
import { newProgram, programInForce, programs, type StoredProgram } from './program-table.ts';
import { programView } from './program-view.ts';

/** How long the previous secret still signs, if the caller names no time; at most as long as a key's. */
export const OVERLAP_DEFAULT_MS = 24 * 60 * 60 * 1_000;
export const OVERLAP_MAX_MS = 7 * 24 * 60 * 60 * 1_000;

const URL_PARAM = '/decision/url';

interface SecretRuntime {
  readonly secretBox: SecretBox;
}

interface WithCommand extends Asked {
  /** Minted before: an answer without an Idempotency-Key is kept under it. */
  readonly commandId: Uuid;
}

export interface UpdateProgram extends WithCommand, Pick<UrlRules, 'allow' | 'ports'> {
  readonly ifMatch?: number | undefined;
  readonly change: { readonly [Member in keyof Program]?: Program[Member] | undefined };
}

export const requestProgramUpdate: UseCase<SecretRuntime, UpdateProgram> = {
  prepare({ secretBox }, input) {
    const { decision } = input.change;
    if (decision) requireUrl(decision.url, URL_PARAM);
    return Promise.resolve({ command: updateProgram(input, sealNewSecret(secretBox, input)) });
  },
};

/** `secret`: for a program that has its first endpoint now. Its decision throws ApiError for values that do not fit. */
export function updateProgram(input: UpdateProgram, secret: SealedSecret): Command<Stored | Refusal> {
  return onProgram(input, 'card_program.update', (draft, own) => decideUpdate(draft, own, { input, secret }));
}

/** `own`: undefined where the book has no row yet. */
type Decide = (draft: Draft, own: StoredProgram | undefined) => Stored | Refusal;

function onProgram(
  { commandId: id, bookId, requestId, actor, ifMatch }: WithCommand & { readonly ifMatch?: number | undefined },
  name: string,
  decide: Decide,
): Command<Stored | Refusal> {
  const origin = { id, requestId, actor };
  return {
    ...origin,
    name,
    touches: [{ table: programs, ids: [bookId] }],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const own = draft.get(programs, bookId);
      const version = own?.version ?? 1;
      const answer = ifMatch !== undefined && ifMatch !== version ? versionMismatch(version) : decide(draft, own);
      return answer.refused ? new Draft(state, origin, moment).finish(answer) : draft.finish(answer);
    },
  };
}

function versionMismatch(version: number): Refusal {
  return {
    refused: 'version_mismatch',
    param: 'If-Match',
    detail: `The program is at version ${version}.`,
    facts: { version },
  };
}

/** Throws ApiError for values that do not fit: a request error, which is kept under no key. */
function decideUpdate(
  draft: Draft,
  own: StoredProgram | undefined,
  { input, secret }: { input: UpdateProgram; secret: SealedSecret },
): Stored | Refusal {
  const program = programInForce(own, draft.book);
  const given = Object.fromEntries(Object.entries(input.change).filter(([, value]) => value !== undefined));
  const change = differenceFrom(program, given as Partial<Program>);
  if (change === undefined) return answer(draft, own);
  const errors = programErrors(withChange(program, change));
  if (errors.length > 0) throw new ApiError(errors[0]!.code, { fieldErrors: errors });
  if (own?.isTimeZoneFixed && change.timeZone !== undefined) return refuseTimeZone(program.timeZone);
  const { url } = change.decision ?? {};
  const isOther = url !== undefined && url !== program.decision?.url;
  const refusal = isOther ? refuseUrl(url, { ...input, mode: draft.book.mode, param: URL_PARAM }) : undefined;
  if (refusal) return refusal;
  const row = own ?? newProgram(draft.book.id, draft.moment.book);
  // Once there is a secret, it is rolled and never replaced.
  const isFirst = change.decision != null && row.secretSealed === null;
  const next = put(draft, own, { ...row, ...change, ...(isFirst && { secretSealed: secret.forRow }) });
  return answer(draft, next, isFirst ? secret.forAnswer : undefined);
}

/** Windows of two time zones cannot be added up. */
function refuseTimeZone(fixed: string): Refusal {
  return {
    refused: 'state_conflict',
    param: '/time_zone',
    detail: `The first transaction has fixed the time zone: ${fixed}.`,
    facts: { current_status: 'fixed', allowed_actions: [] },
  };
}

/** Puts the next version of the row and announces it. */
function put(draft: Draft, own: StoredProgram | undefined, changed: StoredProgram): StoredProgram {
  const version = (own?.version ?? 1) + 1;
  const next: StoredProgram = { ...changed, version, updatedAt: draft.moment.book };
  draft.put(programs, next.id, next);
  const object = programView(next, draft.book);
  draft.emit({
    type: 'card_program.updated',
    objectId: next.id,
    objectSequence: version,
    object,
    previousAttributes: previousAttributes(programView(own, draft.book), object),
  });
  return next;
}

/** `sealed`: the secret that the answer shows, once it is opened. */
function answer(draft: Draft, own: StoredProgram | undefined, sealed?: Buffer): Stored {
  const view = programView(own, draft.book);
  const body = writeJson(sealed ? { ...view, decision_secret: sealed.toString('base64') } : view);
  return { status: 200, body, resource: 'book', resourceId: draft.book.id };
}

export interface RollSecret extends WithCommand {
  readonly ifMatch?: number | undefined;
  /** By the time of the world, like all that is signed. Until then the previous secret signs beside the new one. */
  readonly previousSecretUntil: Instant;
}

export const requestSecretRoll: UseCase<SecretRuntime, RollSecret> = {
  prepare({ secretBox }, input) {
    const secret = sealNewSecret(secretBox, input);
    const { bookId } = input;
    const toPrevious = secretBox.mover(
      programSecretPlace(bookId),
      programSecretPlace(bookId, 'previous_secret_sealed'),
    );
    const command = onProgram(input, 'card_program.roll_secret', (draft, own) => {
      const refusal = refuseRoll(draft, own, input);
      if (refusal) return refusal;
      const next = put(draft, own, {
        ...own!,
        secretSealed: secret.forRow,
        previousSecretSealed: toPrevious(own!.secretSealed!),
        previousSecretUntil: input.previousSecretUntil,
      });
      return answer(draft, next, secret.forAnswer);
    });
    return Promise.resolve({ command });
  },
};

/** Of two earlier secrets one would stop signing before the end that its roll answered with. */
function refuseRoll(
  { wall }: Draft,
  own: StoredProgram | undefined,
  { previousSecretUntil: until }: RollSecret,
): Refusal | undefined {
  if (own === undefined || own.secretSealed === null)
    return {
      refused: 'state_conflict',
      detail: 'The program has no secret: it never had a decision endpoint.',
      facts: { current_status: 'no_secret' },
    };
  const { previousSecretUntil } = own;
  if (previousSecretUntil === null || previousSecretUntil <= wall || until <= wall) return undefined;
  return {
    refused: 'state_conflict',
    detail: `The secret before still signs until ${formatInstant(previousSecretUntil)}. Roll after that, or with \`overlap_seconds\` 0.`,
    facts: { current_status: 'overlapping' },
  };
}
