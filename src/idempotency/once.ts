/**
 * Makes a command happen once under its key. The first answer is stored in the same commit, and every repeat of the
 * request gets that answer again, byte for byte.
 */

import { ApiError, ERRORS } from '../errors/errors.ts';
import { isKept } from '../errors/kept.ts';
import { problemBody } from '../errors/problem.ts';
import type { Book } from '../ledger/book/book.ts';
import { isAdvancing } from '../ledger/clock/book-clock.ts';
import type { Command, LogAppend, Outcome, Refusal } from '../ledger/command/command.ts';
import { Draft } from '../ledger/command/draft.ts';
import type { BookState } from '../ledger/command/state.ts';
import { AnnouncedObject } from '../ledger/events/event-payload.ts';
import { refuseCardNumbers } from '../ledger/rows/judged-texts.ts';
import { referencesOf } from '../ledger/rows/personal-text.ts';
import { personalTexts } from '../ledger/rows/personal-text-table.ts';
import type { Log } from '../ledger/rows/table.ts';
import { formatInstantOrNull } from '../values/clock.ts';
import { newId, publicId, type Uuid } from '../values/ids.ts';
import { type ApartText, WrittenJson, writeJson } from '../values/json.ts';
import { eventReference } from './event-answer.ts';
import type { Fingerprints } from './fingerprints.ts';
import { type IdempotencyRecord, internalKey, isMessageKey, keyReference, type Stored } from './idempotency-key.ts';
import { idempotencyKeyView } from './idempotency-key-view.ts';
import { idempotencyKeys } from './idempotency-table.ts';

interface AnswerFacts {
  readonly status: number;
  readonly body: string;
  readonly resource?: string;
  readonly resourceId?: Uuid;
  readonly replayed: boolean;
}

/** An answer as it is sent. */
export interface OnceAnswer extends AnswerFacts {
  /** Prevents sending an answer that is still to be filled in. */
  readonly textReferences?: never;
}

/** An answer of the command: a replayed one is as it is stored, maybe a reference (event-answer.ts), and sent through fillAnswer. */
export interface KeptAnswer extends AnswerFacts {
  readonly textReferences: string | null;
}

export interface OnceRequest {
  /** The caller's key; null when none was sent. */
  key: string | null;
  /** The caller's, beside a key that the request has of itself: the answer is kept under both. */
  callerKey?: string | null | undefined;
  /** The digest of the request. */
  fingerprint: Buffer;
  fingerprints: Fingerprints;
  publicUrl: string;
}

const NOTHING_APART: readonly ApartText[] = [];

export function once(command: Command<Stored | Refusal>, request: OnceRequest): Command<KeptAnswer> {
  const key = request.key ?? internalKey(command.id);
  const { callerKey = null } = request;
  const fingerprint = request.fingerprints.toStore(request.fingerprint);
  return {
    ...command,
    touches: [...command.touches, { table: idempotencyKeys, ids: callerKey === null ? [key] : [key, callerKey] }],
    decide(state, moment) {
      const known =
        (callerKey === null ? undefined : state.get(idempotencyKeys, callerKey)) ?? state.get(idempotencyKeys, key);
      if (known) return unchanged(state, recall(known, request, command.requestId));
      // Thrown, so that nothing is stored: the same request does it once the clock is there.
      requireClockIdle(state.book);
      const outcome = command.decide(state, moment);
      const stored = outcome.answer.refused
        ? refusalAnswer(outcome.answer, { requestId: command.requestId, publicUrl: request.publicUrl })
        : outcome.answer;
      const answer = firstAnswer(stored);
      // A failed precondition (412) is about a header, which the fingerprint leaves out. The type of a refusal allows no other of these.
      const isTaken = !isMessageKey(key) || stored.status < 400;
      if (!isKept(stored.status) || !(isTaken || callerKey)) return { ...outcome, answer };
      const { body } = stored;
      const { textApart, eventsDerived } = state.forms;
      const isAnnounced = eventsDerived && body instanceof AnnouncedObject;
      const apart = textApart && !isAnnounced ? body.apart : NOTHING_APART;
      const kept = textApart ? body.keptText : body.text;
      const record: IdempotencyRecord = {
        key: isTaken ? key : callerKey!,
        fingerprint,
        status: stored.status,
        body: isAnnounced ? eventReference(body.eventSequence) : kept,
        textReferences: referencesOf(apart),
        resource: stored.resource ?? null,
        resourceId: stored.resourceId ?? null,
        requestId: command.requestId,
        voidedAt: null,
        createdAt: moment.wall,
      };
      refuseCardNumbers(idempotencyKeys, record);
      const records = isTaken && callerKey !== null ? [record, { ...record, key: callerKey }] : [record];
      const rows = [...outcome.rows, ...records.map((row) => ({ table: idempotencyKeys, id: row.key, row }))];
      if (apart.length === 0) return { ...outcome, rows, answer };
      return { ...outcome, rows, appends: withTexts(outcome.appends, apart), answer };
    },
  };
}

/** Throws ApiError `state_conflict` while the clock advances. For a use case that calls the outside before its commit. */
export function requireClockIdle(book: Book): void {
  if (isAdvancing(book)) throw clockIsAdvancing(book);
}

function clockIsAdvancing({ clockTarget }: Book): ApiError {
  return new ApiError('state_conflict', {
    detail: `The clock of this book is on its way to ${formatInstantOrNull(clockTarget)}. Until then the book is only read.`,
    retryable: true,
    headers: { 'Retry-After': '1' },
    facts: { current_status: 'advancing' },
  });
}

/** What a key is called, where it stands, and what to do about it. */
const CALLER = ['Idempotency-Key', 'Idempotency-Key', 'A new request needs a new key.'] as const;
const MESSAGE = ['message_reference', '/message_reference', 'A new message needs a new one.'] as const;

/** The answer to a known key: the first one again, or a refusal. */
export function recall(known: IdempotencyRecord, request: OnceRequest, requestId: Uuid): KeptAnswer {
  const reference = keyReference(known);
  const [name, param, instead] = isMessageKey(known.key) ? MESSAGE : CALLER;
  const refuse = (refusal: Refusal) =>
    firstAnswer(refusalAnswer({ ...refusal, param }, { requestId, publicUrl: request.publicUrl }));
  if (known.voidedAt !== null) return refuse({ refused: 'idempotency_key_voided' });
  if (!request.fingerprints.match(known.fingerprint, request.fingerprint)) {
    const what =
      reference === null ? `request ${publicId('request', known.requestId)}` : `${known.resource} ${reference}`;
    return refuse({
      refused: 'idempotency_key_reused',
      detail: `This ${name} stands for ${what}, whose request was another one. ${instead}`,
      facts: { resource: reference, first_request_id: publicId('request', known.requestId) },
    });
  }
  const ids = {
    ...(known.resource ? { resource: known.resource } : {}),
    ...(known.resourceId ? { resourceId: known.resourceId } : {}),
  };
  if (known.body !== null)
    return {
      status: known.status!,
      body: known.body,
      textReferences: known.textReferences,
      ...ids,
      replayed: true,
    };
  return refuse({
    refused: 'idempotency_key_reused',
    detail: `This ${name} was used longer ago than its answer is kept. Nothing was done now.`,
    facts: { resource: reference, first_request_id: publicId('request', known.requestId) },
  });
}

/** Written out, without a spread: objects built by a spread have hidden classes of their own and are slow to read. */
export function firstAnswer({ status, body, resource, resourceId }: Stored): KeptAnswer {
  return { status, body: body.text, textReferences: null, resource, resourceId, replayed: false };
}

/** The texts that an answer refers to. An event of the same command has most of them already. */
function withTexts(appends: readonly LogAppend[], apart: readonly ApartText[]): readonly LogAppend[] {
  const missing = apart.filter((text) => !appends.some(({ row }) => row === text));
  return [...appends, ...missing.map((row) => ({ log: personalTexts as Log<unknown>, row }))];
}

export function refusalAnswer(refusal: Refusal, context: { requestId: Uuid; publicUrl: string }): Stored {
  return {
    status: ERRORS[refusal.refused].status,
    body: new WrittenJson(
      problemBody({
        code: refusal.refused,
        detail: refusal.detail,
        param: refusal.param,
        facts: refusal.facts,
        requestId: context.requestId,
        publicUrl: context.publicUrl,
      }),
    ),
  };
}

function unchanged<Answer>(state: BookState, answer: Answer): Outcome<Answer> {
  return { book: state.book, entries: [], events: [], rows: [], appends: [], jobs: [], answer };
}

/**
 * Voids a key: commits a tombstone, and nothing will ever be done under the key. A known key stays unchanged, and its
 * record is the answer.
 */
export function voidKey(input: { key: string; requestId: Uuid; actor?: string }): Command<Stored> {
  const id = newId();
  return {
    id,
    name: 'idempotency_key.void',
    requestId: input.requestId,
    touches: [{ table: idempotencyKeys, ids: [input.key] }],
    decide(state, moment) {
      const draft = new Draft(state, { id, requestId: input.requestId }, moment);
      const tombstone: IdempotencyRecord = {
        key: input.key,
        fingerprint: Buffer.alloc(0),
        status: null,
        body: null,
        textReferences: null,
        resource: null,
        resourceId: null,
        requestId: input.requestId,
        voidedAt: moment.wall,
        createdAt: moment.wall,
      };
      const known = draft.get(idempotencyKeys, input.key);
      if (!known) draft.put(idempotencyKeys, input.key, tombstone);
      const view = idempotencyKeyView(known ?? tombstone, draft.livemode);
      return draft.finish({ status: 200, body: writeJson(view), resource: 'idempotency_key' });
    },
  };
}
