/**
 * Mounts pages for people (src/api/page.ts): limited by address, never stored or framed, with no script but ours. Their paths carry
 * secrets: the log has the pattern alone, and no referrer leaves.
 */
import type { Express, Request, Response } from 'express';
import helmet from 'helmet';
import type { Page, PageAnswer, PageAsset, PageRequest } from '../api/page.ts';
import { ApiError, ERRORS } from '../errors.ts';
import { AddressFailures } from './address-failures.ts';
import { asApiError } from './failure.ts';
import { readForm } from './form-body.ts';
import { abortedOnClose } from './held-answer.ts';
import type { PipelineParts } from './pipeline.ts';
import { swallowBody } from './request-body.ts';
import { closePath } from './router.ts';

const HTML = 'text/html; charset=utf-8';
const ASSET_CACHE = 'public, max-age=3600';

/** A page that waits asks every two seconds, and many payers may share the address of their provider. */
const REQUESTS_PER_SECOND = 50;
/** Cards refused by address and minute. A payment takes ten; several people may share an address. */
const FAILURES_PER_MINUTE = 20;

const protect = helmet({
  // Written for each answer: where its forms may lead differs.
  contentSecurityPolicy: false,
  xFrameOptions: { action: 'deny' },
  referrerPolicy: { policy: 'no-referrer' },
  // The server that terminates TLS decides whether the pages are reached by https only.
  strictTransportSecurity: false,
});

export function mountPages(app: Express, pages: readonly Page[], parts: PipelineParts): void {
  const failures = new AddressFailures({ limit: FAILURES_PER_MINUTE });
  for (const page of pages) {
    const mounted = app.route(page.path);
    const guard = (request: Request, response: Response, next: (error?: unknown) => void) => {
      request.context.route = page.path;
      request.context.hidesPath = true;
      protect(request, response, next);
    };
    mounted.get(guard, (request: Request) => serve(page, request, { parts, failures }));
    mounted.post(guard, (request: Request) => serve(page, request, { parts, failures }));
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
  { parts, failures }: { parts: PipelineParts; failures: AddressFailures },
): Promise<void> {
  const { runtime, services } = parts;
  const { context, method } = request;
  const asked: PageRequest = {
    runtime,
    waiters: services,
    requestId: context.requestId,
    params: request.params as Record<string, string>,
    query: new URL(request.url, 'http://page').searchParams,
    acceptLanguage: request.headers['accept-language'] ?? '',
    byScript: request.headers['hx-request'] === 'true',
    signal: abortedOnClose(request),
  };
  try {
    const { allowed, resetSeconds } = await services.limiter.take(`pages:${context.address}`, REQUESTS_PER_SECOND);
    if (!allowed) throw limited(resetSeconds);
    if (method !== 'POST') return send(request, await page.get(asked));
    const form = await readForm(request).catch((error: unknown) => {
      if (page.leadsBack?.(asked, undefined)) return undefined;
      throw error;
    });
    if (form === undefined || page.leadsBack?.(asked, form)) {
      if (!request.complete) swallowBody(request);
      return send(request, await page.get(asked));
    }
    const blockedSeconds = failures.blockedForSeconds(context.address);
    if (blockedSeconds > 0) throw limited(blockedSeconds);
    const answer = await page.post(asked, form);
    if (answer.isFailure) failures.count(context.address);
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

function limited(seconds: number): ApiError {
  return new ApiError('rate_limited', { headers: { 'Retry-After': String(seconds) } });
}

function send(
  { context, headers: asked }: Request,
  { status, html = '', location, leadsTo = [] }: PageAnswer,
  more: readonly string[] = [],
): void {
  const byScript = asked['hx-request'] === 'true';
  const headers = [...more, 'Content-Security-Policy', policy(leadsTo), 'Vary', 'Accept-Language, HX-Request'];
  // A script cannot follow a redirect to another host; htmx goes where this header says.
  if (location !== undefined) headers.push(byScript ? 'HX-Redirect' : 'Location', location);
  context.send({
    status: location !== undefined && byScript ? 200 : status,
    contentType: HTML,
    cacheControl: 'no-store',
    headers,
    body: html,
  });
}

function policy(leadsTo: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    `form-action ${["'self'", ...new Set(leadsTo)].join(' ')}`,
    "frame-ancestors 'none'",
  ].join('; ');
}
