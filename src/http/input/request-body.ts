/**
 * Reads a request's body: bounded in bytes, JSON by its content type, never compressed (a few kilobytes of gzip can be
 * gigabytes of text). Hand-written because a body costs two events here and a tenth of a body-parsing library's time.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { ApiError } from '../../errors/errors.ts';

/** Limit of every body except bulk uploads. Published at GET /v1/limits. */
export const BODY_LIMIT_BYTES = 1_048_576;

/**
 * Bytes of a refused body that are read and discarded, so that the client finishes writing and reads the answer. A
 * longer body ends the connection.
 */
const SWALLOWED_BYTES = 16 * 1_048_576;

/**
 * Bytes that a chunk counts for at least, on average over the body. Each chunk is an event, and a megabyte in chunks of
 * one byte took 3 s and half a gigabyte.
 */
export const CHUNK_BYTES_LEAST = 128;

/** Called before bytes are read. Counts them, and throws or rejects when they must not be read. */
export type BeforeReading = (bytes: number) => void | Promise<void>;

/**
 * The body's text; empty without a body. Throws ApiError: unsupported_media_type, payload_too_large, malformed_json,
 * and any error of `beforeReading`. Calls `beforeReading` once for a body with a Content-Length, else for each chunk
 * received.
 */
export async function readBody(request: IncomingMessage, beforeReading: BeforeReading): Promise<string> {
  const declared = request.headers['content-length'];
  const chunked = request.headers['transfer-encoding'] !== undefined;
  if (!chunked && (declared === undefined || declared === '0')) return '';
  requireJson(request);
  if (!chunked) {
    const length = Number(declared);
    if (length > BODY_LIMIT_BYTES) throw tooLarge();
    const asked = beforeReading(length);
    if (asked !== undefined) await asked;
  }
  const bytes = await (chunked ? collect(request, beforeReading) : collect(request));
  if (!isUtf8(bytes)) throw new ApiError('malformed_json', { detail: 'The body is not valid UTF-8.', param: '' });
  return bytes.toString();
}

function requireJson(request: IncomingMessage): void {
  const type = request.headers['content-type'];
  if (type !== 'application/json' && !isJsonType(type)) {
    throw new ApiError('unsupported_media_type', {
      detail:
        type === undefined
          ? 'Content-Type is missing; it must be application/json.'
          : 'Content-Type must be application/json (in UTF-8).',
      param: 'Content-Type',
    });
  }
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new ApiError('unsupported_media_type', {
      detail: 'Compressed bodies are not read; send it without Content-Encoding.',
      param: 'Content-Encoding',
    });
  }
}

/**
 * `application/json`, alone or with charset utf-8, the only charset of JSON (RFC 8259 §8.1), in any case and spacing.
 */
function isJsonType(type: string | undefined): boolean {
  if (type === undefined) return false;
  const [essence, ...parameters] = type
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  return (
    essence === 'application/json' &&
    parameters.every((parameter) => parameter === '' || /^charset="?utf-?8"?$/.test(parameter))
  );
}

/** `beforeReading` is given for a chunked body only. */
function collect(request: IncomingMessage, beforeReading?: BeforeReading): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    let counted = 0;
    const refuse = (error: unknown) => {
      request.off('data', onData);
      reject(error);
    };
    const goOn = () => {
      request.resume();
    };
    const onData = (part: Buffer) => {
      size += part.length;
      parts.push(part);
      const before = counted;
      counted = beforeReading ? Math.max(size, parts.length * CHUNK_BYTES_LEAST) : size;
      if (counted > BODY_LIMIT_BYTES) {
        refuse(tooLarge());
        return;
      }
      if (beforeReading === undefined) return;
      try {
        const asked = beforeReading(counted - before);
        if (asked === undefined) return;
        request.pause();
        asked.then(goOn, refuse);
      } catch (error) {
        refuse(error);
      }
    };
    request.on('data', onData);
    request.once('end', () => resolve(parts.length === 1 ? parts[0]! : Buffer.concat(parts)));
    request.once('error', () => reject(cutShort()));
    // Every request closes. A request that was read to its end has already resolved.
    request.once('close', () => {
      if (!request.readableEnded) reject(cutShort());
    });
  });
}

/** The client is gone and cannot read this answer. The error ends the work and shows in the access log. */
function cutShort(): ApiError {
  return new ApiError('malformed_json', { detail: 'The body ended before it was complete.', param: '' });
}

/** Discards the rest of a refused request's body, and ends the connection when the rest is too long. */
export function swallowBody(request: IncomingMessage): void {
  let swallowed = 0;
  request.on('data', (part: Buffer) => {
    swallowed += Math.max(part.length, CHUNK_BYTES_LEAST);
    if (swallowed > SWALLOWED_BYTES) request.destroy();
  });
  request.resume();
}

function tooLarge(): ApiError {
  return new ApiError('payload_too_large', {
    detail: `The body is larger than ${BODY_LIMIT_BYTES} bytes; chunks count as ${CHUNK_BYTES_LEAST} each at least.`,
    facts: { limit: BODY_LIMIT_BYTES },
  });
}
