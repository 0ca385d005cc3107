/** Lists, newest first: `limit`, `starting_after`, `ending_before`, filters, and the form of the answer. */
import { z } from 'zod';
import type { Page, PageRequest } from '../db/page.ts';
import type { Queryable } from '../db/pool.ts';
import { CANDIDATES_MAX, PAGE_BYTES_MAX } from '../db/walk.ts';
import { hasCardNumber } from '../values/card-number.ts';
import type { Instant } from '../values/clock.ts';
import { type IdKind, parsePublicId, publicId } from '../values/ids.ts';
import type { CursorKind, RouteRequest } from './route.ts';
import {
  cardNumberIssue,
  currencyCode,
  exampleId,
  idExpected,
  METADATA_LIMITS,
  refuseCardNumber,
} from './schemas/fields.ts';
import { refusedBy } from './schemas/refusal-codes.ts';

/** Published at GET /v1/limits. */
export const PAGE_LIMITS = { default: 20, maximum: 100, bytes: PAGE_BYTES_MAX, candidates: CANDIDATES_MAX } as const;

/** Each metadata filter costs an index lookup for every object that a page reads. Published at GET /v1/limits. */
export const METADATA_FILTERS_MAX = 5;

const LIMIT_EXPECTATION = `Expects a whole number from 1 to ${PAGE_LIMITS.maximum}.`;

const limit = z
  .string()
  .regex(/^[1-9]\d{0,2}$/, LIMIT_EXPECTATION)
  .transform(Number)
  .refine((value) => value <= PAGE_LIMITS.maximum, LIMIT_EXPECTATION)
  .optional()
  .transform((given) => given ?? PAGE_LIMITS.default)
  .meta({
    type: 'integer',
    minimum: 1,
    maximum: PAGE_LIMITS.maximum,
    description: `Objects on a page. Without it, ${PAGE_LIMITS.default}.`,
  });

const SEQUENCE = /^[1-9]\d{0,17}$/;

function readCursor(kind: CursorKind, text: string): string | undefined {
  if (kind === 'sequence') return SEQUENCE.test(text) ? text : undefined;
  if (kind === 'owner') return parsePublicId('person', text) ?? parsePublicId('service', text);
  return parsePublicId(kind, text);
}

function cursor(kind: CursorKind, description: string) {
  const idKind = kind === 'owner' ? 'person' : kind;
  const example = idKind === 'sequence' ? '17' : exampleId(idKind);
  const text = z
    .string()
    .check((context) => {
      if (readCursor(kind, context.value) !== undefined) return;
      context.issues.push({
        code: 'custom',
        input: context.value,
        message: idKind === 'sequence' ? `Expects a sequence number such as ${example}.` : idExpected(idKind),
        params: { fieldError: 'cursor_invalid' },
      });
    })
    .transform((text) => readCursor(kind, text)!)
    .optional()
    .meta({ type: 'string', description, example });
  return refusedBy(text, 'cursor_invalid');
}

/** Accepts `status=pending&status=paid` and `status=pending,paid`. */
export function oneOrMore<const Value extends string>(values: readonly Value[], description: string) {
  return z
    .unknown()
    .check((context) => {
      const unknown = givenTexts(context.value)?.find((value) => !(values as readonly string[]).includes(value));
      if (unknown === undefined && givenTexts(context.value)) return;
      context.issues.push({
        code: 'custom',
        input: context.value,
        message: `Expects one or more of: ${values.join(', ')}.`,
      });
    })
    .transform((value) => [...new Set(givenTexts(value))] as Value[])
    .optional()
    .meta({
      type: 'array',
      items: { type: 'string', enum: [...values] },
      description,
      param: { style: 'form', explode: true },
    });
}

/** The values of a parameter that may be repeated or comma-separated. */
export function givenTexts(value: unknown): string[] | undefined {
  if (typeof value === 'string') return value.split(',');
  return Array.isArray(value) ? value.flatMap((part: string) => part.split(',')) : undefined;
}

/** The range that RFC 3339 and Postgres share: neither has a year 0, and a year after 9999 has five digits. */
const FIRST_INSTANT = Date.parse('0001-01-01T00:00:00Z');
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/** RFC 3339 with any offset. Digits after the millisecond are cut off. */
export const instant = z.iso
  .datetime({ offset: true, error: 'Expects a time as RFC 3339 writes it, such as 2026-03-01T09:30:00Z.' })
  .transform((text): Instant => Date.parse(text))
  .refine((time) => time >= FIRST_INSTANT && time <= LAST_INSTANT, {
    error: 'Expects a time from 0001-01-01T00:00:00Z to 9999-12-31T23:59:59.999Z, once its offset is taken off.',
  })
  .meta({ type: 'string', format: 'date-time' });

/** Each bound is a parameter of its own in the document: http/reference/openapi-parameters.ts. */
export const createdAtFilter = z
  .strictObject({
    gte: instant.optional().meta({ description: 'Made then or later.', example: '2026-03-01T00:00:00Z' }),
    lt: instant.optional().meta({ description: 'Made before then.', example: '2026-04-01T00:00:00Z' }),
  })
  .optional();

export const metadataFilter = refusedBy(
  z
    .record(z.string().min(1).max(METADATA_LIMITS.key), z.string().max(METADATA_LIMITS.value))
    .check((context) => {
      const [beyond] = Object.keys(context.value).slice(METADATA_FILTERS_MAX);
      if (beyond === undefined) return;
      const message = `Expects at most ${METADATA_FILTERS_MAX} filters on metadata.`;
      context.issues.push({ code: 'custom', input: context.value, path: [beyond], message });
    })
    .check((context) => {
      if (context.issues.length > 0) return;
      for (const [key, value] of Object.entries(context.value))
        if (hasCardNumber(key) || hasCardNumber(value)) context.issues.push(cardNumberIssue(value, [key]));
    })
    .optional()
    .meta({
      description: `\`metadata[key]\`: objects whose metadata have this value. Up to ${METADATA_FILTERS_MAX}, which must all hold.`,
      param: { style: 'deepObject', explode: true },
    }),
  'card_number_not_allowed',
);

export const externalIdFilter = refusedBy(
  z.string().min(1).max(255).check(refuseCardNumber).optional().meta({ description: 'Your own reference.' }),
  'card_number_not_allowed',
);

export const currencyFilter = currencyCode('an active ISO 4217 code')
  .optional()
  .meta({ description: 'ISO 4217.', example: 'JOD' });

/** What follows an object of a list, and what comes before it. */
const NEWEST_FIRST = { after: 'older', before: 'newer' } as const;
/** Of a timeline. */
export const OLDEST_FIRST = { after: 'newer', before: 'older' } as const;

/** The query of a list: paging, and the given filters. */
export function listQuery<Filters extends z.ZodRawShape>(
  kind: CursorKind,
  filters: Filters,
  order: typeof NEWEST_FIRST | typeof OLDEST_FIRST = NEWEST_FIRST,
) {
  return z
    .strictObject({
      limit,
      starting_after: cursor(kind, `Reads on behind (${order.after} than) this object.`),
      ending_before: cursor(kind, `Reads on before (${order.before} than) this object.`),
      ...filters,
    })
    .check((context) => {
      const { starting_after, ending_before } = context.value as PagingQuery;
      if (starting_after === undefined || ending_before === undefined) return;
      context.issues.push({
        code: 'custom',
        input: context.value,
        path: ['ending_before'],
        message: 'Cannot be combined with starting_after.',
      });
    });
}

export interface PagingQuery {
  limit: number;
  starting_after?: string;
  ending_before?: string;
}

/**
 * Runs the reads of a list on connections reserved for lists, so that no payment waits for them. Throws ApiError
 * `service_unavailable` after two seconds (LIST_TIMEOUT_MS); its detail names the filters to narrow.
 */
export function readList<Result>(
  { runtime, principal, query }: RouteRequest,
  work: (db: Queryable) => Promise<Result>,
): Promise<Result> {
  return runtime.lists.read(principal.bookId, work, waysToNarrow((query ?? {}) as Record<string, unknown>));
}

const PAGING = ['limit', 'starting_after', 'ending_before'];

function waysToNarrow(query: Record<string, unknown>): string {
  const filters = Object.keys(query).filter((name) => query[name] !== undefined && !PAGING.includes(name));
  const fewer = 'ask for fewer objects by limit';
  if (filters.length === 0) return `Repeat it, or ${fewer}.`;
  return `Narrow ${filters.join(', ')} to fewer or rarer values, or ${fewer}.`;
}

export function pageRequest({ limit, starting_after, ending_before }: PagingQuery): PageRequest {
  return { limit, startingAfter: starting_after, endingBefore: ending_before };
}

/** The body of a list's answer. `next_cursor` continues in the direction of the request. */
export function listAnswer<Item>(list: {
  data: readonly Item[];
  hasMore: boolean;
  url: string;
  backwards: boolean;
  cursorOf: (item: Item) => string;
  /** The cursor of a page that read further than its last object. */
  reached?: string;
}) {
  const { data, hasMore, url, backwards, cursorOf, reached } = list;
  const last = backwards ? data[0] : data.at(-1);
  const cursor = reached ?? (last && cursorOf(last));
  return {
    object: 'list',
    data,
    has_more: hasMore,
    next_cursor: (hasMore && cursor) || null,
    url,
  };
}

/** A route's answer with a page of rows. Its cursors are the ids, or the sequence numbers, of what it shows. */
export function pageAnswer<Row>(
  page: Page<Row>,
  request: { query: PagingQuery; url: string; cursor: CursorKind },
  view: (row: Row) => unknown,
): { status: number; json: unknown } {
  const { rows, hasMore, reached } = page;
  const { query, url, cursor } = request;
  const data = rows.map(view);
  const backwards = query.ending_before !== undefined;
  const cursorOf = cursor === 'sequence' ? shownSequence : shownId;
  const further = isIdKind(cursor) && reached !== undefined ? publicId(cursor, reached) : reached;
  return { status: 200, json: listAnswer({ data, hasMore, url, backwards, cursorOf, reached: further }) };
}

/** Lists of people and of sequences are never cut short, so that no cursor of theirs is made here. */
function isIdKind(cursor: CursorKind): cursor is IdKind {
  return cursor !== 'sequence' && cursor !== 'owner';
}

function shownId(item: unknown): string {
  return (item as { id: string }).id;
}

function shownSequence(item: unknown): string {
  return String((item as { sequence: bigint }).sequence);
}
