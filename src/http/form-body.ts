/** Reads the body of a form of one of our pages: bounded in bytes, `application/x-www-form-urlencoded`. */
import type { IncomingMessage } from 'node:http';
import { ApiError } from '../errors/errors.ts';

/** A card, a nonce, a language: a page's form is a few hundred bytes. */
export const FORM_LIMIT_BYTES = 8_192;

/** Throws ApiError: unsupported_media_type, payload_too_large, malformed_json for a body that is cut short. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const [type] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  if (type!.trim() !== 'application/x-www-form-urlencoded') throw new ApiError('unsupported_media_type');
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of readable(request)) {
    bytes += part.length;
    if (bytes > FORM_LIMIT_BYTES) throw new ApiError('payload_too_large', { facts: { limit: FORM_LIMIT_BYTES } });
    parts.push(part);
  }
  return new URLSearchParams(Buffer.concat(parts).toString());
}

async function* readable(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    for await (const part of request.iterator({ destroyOnReturn: false })) yield part as Buffer;
  } catch {
    throw new ApiError('malformed_json', { detail: 'The body ended before it was complete.' });
  }
}
