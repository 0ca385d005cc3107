/**
 * The API reference for programs (/openapi.json) and for people (/docs): Scalar's, under a content security policy that allows
 * only files of this server. Beside it the guides and the errors, as pages without a script.
 */
import type { Express, Request, Response } from 'express';
import helmet from 'helmet';
import type { EventDocument } from '../../api/event-document.ts';
import type { Route } from '../../api/route.ts';
import { ApiError } from '../../errors/errors.ts';
import type { RequestContext } from '../pipeline/request-context.ts';
import { closePath } from '../pipeline/router.ts';
import { errorIndexPage, errorPage } from './error-pages.ts';
import { GUIDE_PATHS, guideIndexPage, guidePage } from './guides.ts';
import { buildOpenApi } from './openapi.ts';
import { readExamples } from './openapi-examples.ts';
import { docsBar, htmlPage } from './page-html.ts';
import { findAsset, REFERENCE_FILE } from './reference-assets.ts';

const HTML = 'text/html; charset=utf-8';
/** Assets change only with a release. An hour keeps a second visit fast and shows a release soon. */
const ASSET_CACHE = 'public, max-age=3600';
const PAGE_CACHE = 'no-cache';

const protectPage = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      // Scalar writes styles as it renders.
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      fontSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  xFrameOptions: { action: 'deny' },
  // The page's request for the sandbox's key must name its origin.
  referrerPolicy: { policy: 'same-origin' },
  // The server that terminates TLS decides whether the API is reached by https only.
  strictTransportSecurity: false,
});

export interface ReferenceParts {
  readonly routes: readonly Route[];
  readonly events: readonly EventDocument[];
  publicUrl(): string;
  /** A test key that the page fills in for people at this machine. */
  sandboxKey?(): string | undefined;
}

export function mountReference(app: Express, { routes, events, publicUrl, sandboxKey }: ReferenceParts): void {
  mount(app, '/', ({ context }) => {
    context.send({ status: 302, cacheControl: PAGE_CACHE, headers: ['Location', '/docs'], body: '' });
  });
  let document: string | undefined;
  mount(app, '/openapi.json', ({ context }) => {
    document ??= JSON.stringify(
      buildOpenApi({ routes, events, publicUrl: publicUrl(), examples: readExamples(publicUrl()) }),
    );
    context.send({ status: 200, cacheControl: PAGE_CACHE, body: document });
  });
  mountPage(app, '/docs', () =>
    REFERENCE_FILE === undefined ? htmlPage(WITHOUT_REFERENCE) : htmlPage(REFERENCE_PAGE),
  );
  mount(app, '/docs/sandbox-key', (request) => {
    const key = isAtThisMachine(request) ? sandboxKey?.() : undefined;
    request.context.send({ status: 200, cacheControl: 'no-store', body: JSON.stringify({ key: key ?? null }) });
  });
  mountPage(app, '/docs/guides', guideIndexPage);
  for (const path of GUIDE_PATHS) mountPage(app, path, () => guidePage(path));
  mountPage(app, '/docs/errors', errorIndexPage);
  mountPage(app, '/docs/errors/:code', (request) => errorPage(request.params.code as string));
  mount(app, '/docs/assets/:name', (request) => sendAsset(request.context, request.params.name as string));
  app.get('/docs/{*path}', protectPage, sendMissing);
}

function mount(app: Express, path: string, answer: (request: Request) => void | Promise<void>): void {
  const mounted = app.route(path).get((request) => {
    request.context.route = path;
    return answer(request);
  });
  closePath(mounted, path, ['GET']);
}

function mountPage(app: Express, path: string, content: (request: Request) => string | undefined): void {
  const mounted = app.route(path).get(
    (request: Request, response: Response, next: (error?: unknown) => void) => protectPage(request, response, next),
    (request: Request) => {
      request.context.route = path;
      const body = content(request);
      if (body === undefined) return sendMissing(request);
      request.context.send({ status: 200, contentType: HTML, cacheControl: PAGE_CACHE, body });
    },
  );
  closePath(mounted, path, ['GET']);
}

/** A browser gets a page that leads to the others, a program a problem. Throws ApiError `route_not_found` for the latter. */
function sendMissing(request: Request): void {
  if (request.accepts(['application/problem+json', 'text/html']) !== 'text/html') throw notFound();
  const headers = ['Vary', 'Accept'];
  request.context.send({
    status: 404,
    contentType: HTML,
    cacheControl: PAGE_CACHE,
    headers,
    body: htmlPage(MISSING_PAGE),
  });
}

async function sendAsset(context: RequestContext, name: string): Promise<void> {
  const asset = await findAsset(name);
  if (asset === undefined) throw notFound();
  context.send({ status: 200, cacheControl: ASSET_CACHE, ...asset });
}

const REFERENCE_PAGE = {
  title: 'API reference',
  content: `${docsBar()}\n<div id="reference"></div>`,
  stylesheets: ['/docs/assets/reference.css'],
  scripts: ['/docs/assets/api-reference.js', '/docs/assets/start.js'],
};
const WITHOUT_REFERENCE = {
  title: 'API reference',
  content: `${docsBar()}
<main>
<h1>API reference</h1>
<p>This installation has no reference page: it runs from the source, without the packages of the build. Run <code>npm run build</code>
where it is built, or open the <a href="/openapi.json">OpenAPI document</a> in a reader of yours.</p>
<p>Every error, with its remedy behind its code: <a href="/docs/errors">errors</a>. To begin with: <a href="/docs/guides">guides</a>.</p>
</main>`,
};
const MISSING_PAGE = {
  title: 'No such page',
  content: `${docsBar()}
<main>
<h1>There is no such page</h1>
<p>Look for it among the <a href="/docs/guides">guides</a>, in the <a href="/docs">API reference</a> or in the
<a href="/docs/errors">list of errors</a>.</p>
</main>`,
};

/** Headers that proxies add. */
const FORWARDED = /^(forwarded|via|x-forwarded-.*|x-real-ip|cf-.*)$/;
const PAGE_HOST = /^https?:\/\/([^/]+)\//;
const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/**
 * Whether a browser on this machine asks, on our page: by the connection, by the name under which it was reached, and by the page
 * that asks. A page of another host whose name leads to this machine has that host's name; a page that a proxy on this machine shows
 * to others has the proxy's, whatever the proxy writes into Host.
 */
function isAtThisMachine({ socket, headers }: Request): boolean {
  const { host = '', referer = '' } = headers;
  const isPeer = ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(socket.remoteAddress ?? '');
  const isForwarded = Object.keys(headers).some((name) => FORWARDED.test(name));
  return (
    isPeer &&
    !isForwarded &&
    LOOPBACK_HOST.test(host) &&
    PAGE_HOST.exec(referer)?.[1] === host &&
    (headers['sec-fetch-site'] ?? 'same-origin') === 'same-origin'
  );
}

function notFound(): ApiError {
  return new ApiError('route_not_found', { detail: 'There is no such page.' });
}
