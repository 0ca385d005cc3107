/** A body that a route reads as it comes, since it may be too large to be in memory: JSON, CSV, or a bank's file. */
import type { z } from 'zod';
import type { Facts, FieldError } from '../errors/errors.ts';
import type { JsonObject } from '../values/json.ts';

export type UploadType = 'json' | 'csv' | 'bank_file';

/** What a route takes beside JSON, and the media types of it. */
export const UPLOADED_TYPES = {
  csv: ['text/csv'],
  bank_file: ['application/xml', 'text/plain', 'text/csv', 'application/octet-stream'],
} as const;

export type UploadKind = keyof typeof UPLOADED_TYPES;

/** Bytes of a body, by its type. Published at GET /v1/limits. */
export const UPLOAD_LIMITS: Readonly<Record<UploadType, number>> = {
  json: 16 * 1_048_576,
  csv: 64 * 1_048_576,
  bank_file: 64 * 1_048_576,
};
/** Uploads at once. Published at GET /v1/limits. */
export const UPLOADS_AT_ONCE = { book: 1, process: 4 } as const;

export type CheckedPart<Schema extends z.ZodType> =
  | { readonly data: z.output<Schema> }
  | { readonly faults: readonly (FieldError & { readonly facts?: Facts })[] };

export interface Upload {
  readonly type: UploadType;
  readonly method: string;
  readonly path: string;
  /** The query as it was sent. */
  readonly query: string;
  /** Once. Throws ApiError where the body is too large, or is cut short. */
  parts(): AsyncIterable<Buffer>;
  /**
   * A part of a body, by its schema; `place` is where it stands in the whole. Throws ApiError `malformed_json` for what is no JSON.
   */
  readJson<Schema extends z.ZodType>(
    schema: Schema,
    text: string,
    place: readonly (string | number)[],
  ): CheckedPart<Schema> & { readonly value: JsonObject };
  /** The same of a value that was not written in JSON. */
  check<Schema extends z.ZodType>(schema: Schema, value: JsonObject): CheckedPart<Schema>;
}
