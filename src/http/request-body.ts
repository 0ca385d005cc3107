/**
 * Reads a request's body: at most so many bytes, JSON by its content type, never compressed (a few kilobytes of gzip can
 * be gigabytes of text). Hand-written because a body costs two events here and a tenth of that library's time.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { ApiError } from '../errors.ts';

/** Of every body but bulk uploads; published at GET /v1/limits. */
export const BODY_LIMIT_BYTES = 1_048_576;

/**
 * A refused body is read on and thrown away up to this, so that the client has finished writing and reads the answer.
 * Who sends more is cut off.
 */
const SWALLOWED_BYTES = 16 * 1_048_576;

/**
 * The chunks of a body count as so many bytes each, where they have fewer on average: each is an event here, and a megabyte
 * in chunks of one byte took 3 s and half a gigabyte.
 */
export const CHUNK_BYTES_LEAST = 128;

/** Asked before bytes are read: it counts them, and throws or rejects when they are not to be read. */
export type BeforeReading = (bytes: number) => void | Promise<void>;

/**
 * The body's text; empty when there is none. Throws ApiError: unsupported_media_type, payload_too_large, malformed_json,
 * and whatever `beforeReading` throws. It is asked once for a body whose length is declared, else for each part that came.
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

/** `application/json`, alone or with the one charset that JSON has (RFC 8259 §8.1), in any case and spacing. */
export function isJsonType(type: string | undefined): boolean {
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

/** `beforeReading` is given for a body in chunks. */
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
    // Every request closes; one that was read to its end has been answered by then.
    request.once('close', () => {
      if (!request.readableEnded) reject(cutShort());
    });
  });
}

/** Nobody reads this answer; it ends the work and counts in the log. */
function cutShort(): ApiError {
  return new ApiError('malformed_json', { detail: 'The body ended before it was complete.', param: '' });
}

/** Reads what is left of a refused request's body, and ends the connection of one that goes on too long. */
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
