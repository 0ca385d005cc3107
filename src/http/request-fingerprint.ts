/** What an Idempotency-Key stands for: the digest of a request. */
import type { Request } from 'express';
import { fingerprintOf } from '../api/request-headers.ts';
import type { Route } from '../api/route.ts';
import type { Fingerprints } from '../idempotency/fingerprints.ts';

/** The body is digested as its route says, for a body with secrets: no digest that can be guessed may hold them. */
export function requestFingerprint(
  route: Route,
  { method, path }: Pick<Request, 'method' | 'path'>,
  { body, fingerprints }: { body: unknown; fingerprints: Fingerprints },
): Buffer {
  const digested = route.fingerprinted ? route.fingerprinted(body, fingerprints.digestOf) : body;
  return fingerprintOf({ method, path, body: digested });
}
