/** Bodies that routes read as they come: their types and limits, how many at once, and the form of their parts. */
import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import type { CheckedPart, Upload, UploadKind, UploadType } from '../../api/upload.ts';
import { UPLOAD_LIMITS, UPLOADED_TYPES, UPLOADS_AT_ONCE } from '../../api/upload.ts';
import { ApiError, type FieldError } from '../../errors/errors.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { JsonObject } from '../../values/json.ts';
import { withoutAbsentMembers } from './absent-members.ts';
import { fieldErrorsOf } from './field-errors.ts';
import { parseBody } from './json-body.ts';
import { jsonPointer } from './json-pointer.ts';

/** What an upload has in memory at most: a page of items, and the parts that the socket has read. */
export const UPLOAD_BUFFERED_BYTES = 1_048_576;

/** The uploads of this process. */
export class Uploads {
  readonly #books = new Set<BookId>();

  /** Returns what ends it. Throws ApiError `rate_limited` beyond the limits. */
  begin(bookId: BookId): () => void {
    if (this.#books.has(bookId)) throw tooMany('The book has an upload under way.', UPLOADS_AT_ONCE.book);
    if (this.#books.size >= UPLOADS_AT_ONCE.process)
      throw tooMany('This process reads as many uploads as it can.', UPLOADS_AT_ONCE.process);
    this.#books.add(bookId);
    return () => this.#books.delete(bookId);
  }
}

function tooMany(detail: string, limit: number): ApiError {
  return new ApiError('rate_limited', {
    detail: `${detail} Send it again once one has ended.`,
    facts: { limit },
    headers: { 'Retry-After': '1' },
  });
}

/** `pay`: called with the bytes that are read, before more are. Throws ApiError `unsupported_media_type` or `payload_too_large`. */
export function openUpload(
  request: IncomingMessage & { readonly path: string },
  kind: UploadKind,
  pay: (bytes: number) => void | Promise<void>,
): Upload {
  const type = typeOf(request, kind);
  const limit = UPLOAD_LIMITS[type];
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limit) throw tooLarge(limit);
  return {
    type,
    method: request.method!,
    path: request.path,
    query: new URL(request.url!, 'http://localhost').search,
    parts: () => partsOf(request, limit, pay),
    readJson: readPart,
    check: (schema, value) => checkPart(schema, value, []),
  };
}

const CSV = /^text\/csv(?:;\s*(?:charset="?utf-?8"?|header=present))*$/;
const JSON_TYPE = /^application\/json(?:;\s*charset="?utf-?8"?)?$/;

/** What a body states. A bank's file states its own encoding: no parameter of the type is looked at. */
const FORMS: Readonly<Record<UploadKind, { is(given: string): boolean; readonly expected: string }>> = {
  csv: { is: (given) => CSV.test(given), expected: 'text/csv (in UTF-8)' },
  bank_file: {
    is: (given) => (UPLOADED_TYPES.bank_file as readonly string[]).includes(given.split(';')[0]!.trimEnd()),
    expected: UPLOADED_TYPES.bank_file.join(', '),
  },
};

function typeOf({ headers }: IncomingMessage, kind: UploadKind): UploadType {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  const given = headers['content-type']?.trim().toLowerCase() ?? '';
  if (!hasBody) return FORMS[kind].is(given) ? kind : 'json';
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new ApiError('unsupported_media_type', {
      detail: 'Compressed bodies are not read; send it without Content-Encoding.',
      param: 'Content-Encoding',
    });
  if (FORMS[kind].is(given)) return kind;
  if (JSON_TYPE.test(given)) return 'json';
  throw new ApiError('unsupported_media_type', {
    detail: `Content-Type must be application/json or ${FORMS[kind].expected}.`,
    param: 'Content-Type',
  });
}

/** The socket is left open where reading ends early: the answer gives the reason. */
async function* partsOf(
  request: IncomingMessage,
  limit: number,
  pay: (bytes: number) => void | Promise<void>,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > limit) throw tooLarge(limit);
      const paid = pay(part.length);
      if (paid !== undefined) await paid;
      yield part;
    }
  } catch (error) {
    if (error instanceof ApiError || !request.destroyed) throw error;
    throw new ApiError('malformed_json', { detail: 'The body ended before it was complete.', param: '' });
  }
  if (!request.complete)
    throw new ApiError('malformed_json', { detail: 'The body ended before it was complete.', param: '' });
}

function tooLarge(limit: number): ApiError {
  return new ApiError('payload_too_large', { detail: `The body is larger than ${limit} bytes.`, facts: { limit } });
}

function readPart<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
  place: readonly (string | number)[],
): CheckedPart<Schema> & { readonly value: JsonObject } {
  const ofTexts: FieldError[] = [];
  const value = parsePart(text, place, ofTexts);
  if (ofTexts.length > 0) return { value, faults: ofTexts.map((fault) => behind(place, fault)) };
  return { value, ...checkPart(schema, value, place) };
}

function parsePart(text: string, place: readonly (string | number)[], ofTexts: FieldError[]): JsonObject {
  try {
    return parseBody(text, ofTexts);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, fieldErrors, facts } = error;
    if (code === 'parameter_invalid') {
      ofTexts.push({ code, param: '', detail: 'Expects an object.' });
      return {};
    }
    // Positions within a part name no place of the body.
    const { position: _, line: __, column: ___, ...others } = facts;
    throw new ApiError(code, { facts: others, fieldErrors: fieldErrors.map((fault) => behind(place, fault)) });
  }
}

function behind(place: readonly (string | number)[], { code, param, detail }: FieldError): FieldError {
  return { code, param: `${jsonPointer(place)}${param ?? ''}`, detail };
}

function checkPart<Schema extends z.ZodType>(
  schema: Schema,
  value: JsonObject,
  place: readonly (string | number)[],
): CheckedPart<Schema> {
  const input = withoutAbsentMembers(schema, value);
  const result = schema.safeParse(input);
  if (result.success) return { data: result.data };
  return { faults: fieldErrorsOf(result.error, { schema, input }, (path) => jsonPointer([...place, ...path])) };
}
