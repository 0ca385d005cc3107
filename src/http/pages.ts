/**
 * Mounts pages for people (src/api/page.ts): limited by link and by network, never stored or framed, with no script but ours. Their paths carry
 * secrets: the log has the pattern alone, and no referrer leaves.
 */
import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Express, Request, Response } from 'express';
import helmet from 'helmet';
import type { Page, PageAnswer, PageAsset, PageRequest } from '../api/page.ts';
import { ApiError, ERRORS } from '../errors/errors.ts';
import { namedOrigin } from '../values/url.ts';
import { AddressFailures } from './authentication/address-failures.ts';
import { FailureCounts } from './authentication/failure-counts.ts';
import { networkOf } from './connections/network-of.ts';
import { swallowBody } from './input/request-body.ts';
import type { RateLimiter } from './limits/rate-limiter.ts';
import { asApiError } from './pipeline/failure.ts';
import type { PipelineParts } from './pipeline/pipeline.ts';
import { abortedOnClose } from './pipeline/prefer-wait.ts';
import { closePath } from './pipeline/router.ts';

const HTML = 'text/html; charset=utf-8';
const ASSET_CACHE = 'public, max-age=3600';

/** A page that waits asks every two seconds, and many payers may share the address of their provider. An IPv6 address counts as its /64. */
const REQUESTS_PER_SECOND = 50;
/** Of one link: a payer with several windows open, however many networks the requests come from. */
const REQUESTS_OF_LINK_PER_SECOND = 30;
/** Cards refused by network, and by link, and minute. A payment takes ten; several people may share an address, and a link. */
const FAILURES_PER_MINUTE = 20;
const FAILURES_OF_LINK_PER_MINUTE = 60;

const protect = helmet({
  // Written for each answer: where its forms may lead differs.
  contentSecurityPolicy: false,
  xFrameOptions: { action: 'deny' },
  referrerPolicy: { policy: 'no-referrer' },
  // The server that terminates TLS decides whether the pages are reached by https only.
  strictTransportSecurity: false,
});

export function mountPages(app: Express, pages: readonly Page[], parts: PipelineParts): void {
  const limits = new PageLimits(parts.services.limiter);
  for (const page of pages) {
    const mounted = app.route(page.path);
    const guard = (request: Request, response: Response, next: (error?: unknown) => void) => {
      request.context.route = page.path;
      request.context.hidesPath = true;
      protect(request, response, next);
    };
    mounted.get(guard, (request: Request) => serve(page, request, { parts, limits }));
    mounted.post(guard, (request: Request) => serve(page, request, { parts, limits }));
    closePath(mounted, page.path, ['GET', 'POST']);
  }
}

export function mountPageAssets(app: Express, assets: readonly PageAsset[]): void {
  for (const { path, contentType, body } of assets) {
    const mounted = app.route(path).get(async ({ context }) => {
      context.route = path;
      const headers = ['X-Content-Type-Options', 'nosniff'];
      context.send({ status: 200, contentType, cacheControl: ASSET_CACHE, headers, body: await body() });
    });
    closePath(mounted, path, ['GET']);
  }
}

/** Answers with a page whatever happens: a payer reads no JSON. */
async function serve(
  page: Page,
  request: Request,
  { parts, limits }: { parts: PipelineParts; limits: PageLimits },
): Promise<void> {
  const { runtime, services } = parts;
  const { context, method } = request;
  const asked: PageRequest = {
    runtime,
    waiters: services,
    ...{ inquiries: services.inquiries, cardTries: services.cardTries },
    requestId: context.requestId,
    params: request.params as Record<string, string>,
    query: new URL(request.url, 'http://page').searchParams,
    acceptLanguage: request.headers['accept-language'] ?? '',
    byScript: request.headers['hx-request'] === 'true',
    signal: abortedOnClose(request),
  };
  try {
    const from = { address: context.address, link: linkOf(asked) };
    await limits.take(from);
    if (method !== 'POST') return send(request, await page.get(asked));
    const form = await readForm(request).catch((error: unknown) => {
      if (page.leadsBack?.(asked, undefined)) return undefined;
      throw error;
    });
    if (form === undefined || page.leadsBack?.(asked, form)) {
      if (!request.complete) swallowBody(request);
      return send(request, await page.get(asked));
    }
    limits.requireUnblocked(from);
    const answer = await page.post(asked, form);
    if (answer.isFailure) limits.countFailure(from);
    send(request, answer);
  } catch (error) {
    const failure = asApiError(error);
    const { status } = ERRORS[failure.code];
    if (status >= 500) {
      runtime.log.error({ err: error, request_id: context.publicRequestId, route: page.path }, 'page failed');
    }
    if (!request.complete) request.res!.setHeader('Connection', 'close');
    send(request, { status, html: page.failed(asked, status) }, Object.entries(failure.headers).flat());
  }
}

/** Where a request for a page comes from. */
interface From {
  readonly address: string;
  readonly link: string;
}

class PageLimits {
  readonly #limiter: RateLimiter;
  readonly #failures = new AddressFailures({ limit: FAILURES_PER_MINUTE });
  readonly #failuresOfLinks = new FailureCounts({ limit: FAILURES_OF_LINK_PER_MINUTE });

  constructor(limiter: RateLimiter) {
    this.#limiter = limiter;
  }

  /** Throws ApiError rate_limited. */
  async take({ address, link }: From): Promise<void> {
    const network = networkOf(address);
    if (network !== undefined) {
      const ofNetwork = await this.#limiter.take(`pages:${network}`, REQUESTS_PER_SECOND);
      if (!ofNetwork.allowed) throw limited(ofNetwork.resetSeconds);
    }
    const ofLink = await this.#limiter.take(`page:${link}`, REQUESTS_OF_LINK_PER_SECOND);
    if (!ofLink.allowed) throw limited(ofLink.resetSeconds);
  }

  /** Throws ApiError rate_limited where too many cards were refused. */
  requireUnblocked({ address, link }: From): void {
    const seconds = Math.max(this.#failures.blockedForSeconds(address), this.#failuresOfLinks.blockedForSeconds(link));
    if (seconds > 0) throw limited(seconds);
  }

  countFailure({ address, link }: From): void {
    this.#failures.count(address);
    this.#failuresOfLinks.count(link);
  }
}

/** Names a link where limits are counted, which may be in Redis: its digest, since the link is a secret. However its path is spelt. */
function linkOf({ params }: PageRequest): string {
  return hash('sha256', Object.values(params).join('/'), 'base64url').slice(0, 22);
}

function limited(seconds: number): ApiError {
  return new ApiError('rate_limited', { headers: { 'Retry-After': String(seconds) } });
}

function send(
  { context, headers: asked }: Request,
  { status, html = '', location, leadsTo = [], retryAfterSeconds }: PageAnswer,
  more: readonly string[] = [],
): void {
  const byScript = asked['hx-request'] === 'true';
  const headers = [...more, 'Content-Security-Policy', policy(leadsTo), 'Vary', 'Accept-Language, HX-Request'];
  if (retryAfterSeconds !== undefined) headers.push('Retry-After', String(retryAfterSeconds));
  // A script cannot follow a redirect to another host; htmx navigates to the URL of this header.
  if (location !== undefined) headers.push(byScript ? 'HX-Redirect' : 'Location', location);
  context.send({
    status: location !== undefined && byScript ? 200 : status,
    contentType: HTML,
    cacheControl: 'no-store',
    headers,
    body: html,
  });
}

/** It contains parsed origins alone of any text that others gave. */
function policy(leadsTo: readonly string[]): string {
  const targets = leadsTo.flatMap((url) => namedOrigin(url) ?? []);
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    `form-action ${["'self'", ...new Set(targets)].join(' ')}`,
    "frame-ancestors 'none'",
  ].join('; ');
}

/** A card, a nonce, a language: a page's form is a few hundred bytes. */
const FORM_LIMIT_BYTES = 8_192;

/**
 * Reads the body of a form of one of our pages, bounded in bytes. Throws ApiError: unsupported_media_type, payload_too_large, malformed_json
 * for a body that is cut short.
 */
async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
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
