/**
 * The API reference for programs (/openapi.json) and for people (/docs): Swagger UI from its npm package, under a
 * content security policy that allows only files of this server.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Express, Request, Response } from 'express';
import helmet from 'helmet';
import type { EventDocument } from '../api/event-document.ts';
import type { Route } from '../api/route.ts';
import { ApiError } from '../errors.ts';
import { compatibilityPage } from './compatibility-page.ts';
import { errorIndexPage, errorPage } from './error-pages.ts';
import { buildOpenApi } from './openapi.ts';
import { htmlPage, PAGE_CSS } from './page-html.ts';
import type { RequestContext } from './request-context.ts';
import { closePath } from './router.ts';

const HTML = 'text/html; charset=utf-8';
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};
/** Assets change only with a release. An hour keeps a second visit fast and shows a release soon. */
const ASSET_CACHE = 'public, max-age=3600';
const PAGE_CACHE = 'no-cache';

/** Starts Swagger UI. The policy allows no inline script, so the starter is a file of its own. */
const STARTER = `window.addEventListener('load', () => {
  SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui', deepLinking: true, defaultModelsExpandDepth: 0, docExpansion: 'list', persistAuthorization: false });
});
`;

const protectPage = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      // Swagger UI sets style attributes as it renders.
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
  // The server that terminates TLS decides whether the API is reached by https only.
  strictTransportSecurity: false,
});

export interface ReferenceParts {
  readonly routes: readonly Route[];
  readonly events: readonly EventDocument[];
  publicUrl(): string;
}

export function mountReference(app: Express, { routes, events, publicUrl }: ReferenceParts): void {
  let document: string | undefined;
  mount(app, '/openapi.json', ({ context }) => {
    document ??= JSON.stringify(buildOpenApi({ routes, events, publicUrl: publicUrl() }));
    context.send({ status: 200, cacheControl: PAGE_CACHE, body: document });
  });
  mountPage(app, '/docs', () =>
    htmlPage({
      title: 'API reference',
      content: '<div id="swagger-ui"></div>',
      stylesheets: ['/docs/assets/swagger-ui.css'],
      scripts: ['/docs/assets/swagger-ui-bundle.js', '/docs/assets/start.js'],
    }),
  );
  mountPage(app, '/docs/compatibility', compatibilityPage);
  mountPage(app, '/docs/errors', errorIndexPage);
  mountPage(app, '/docs/errors/:code', (request) => errorPage(request.params.code as string));
  mount(app, '/docs/assets/:name', (request) => sendAsset(request.context, request.params.name as string));
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
      if (body === undefined) throw notFound();
      request.context.send({ status: 200, contentType: HTML, cacheControl: PAGE_CACHE, body });
    },
  );
  closePath(mounted, path, ['GET']);
}

const swaggerFolder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

async function sendAsset(context: RequestContext, name: string): Promise<void> {
  const own = OWN_ASSETS[name];
  if (own) {
    context.send({ status: 200, cacheControl: ASSET_CACHE, ...own, headers: NO_SNIFF });
    return;
  }
  // A fixed list of names: no path from a client reaches the file system.
  const contentType = Object.hasOwn(ASSETS, name) ? ASSETS[name] : undefined;
  if (contentType === undefined) throw notFound();
  const body = await readFile(join(swaggerFolder, name));
  context.send({ status: 200, cacheControl: ASSET_CACHE, contentType, body, headers: NO_SNIFF });
}

const NO_SNIFF = ['X-Content-Type-Options', 'nosniff'];
const OWN_ASSETS: Readonly<Record<string, { body: string; contentType: string }>> = Object.assign(Object.create(null), {
  'start.js': { body: STARTER, contentType: 'text/javascript; charset=utf-8' },
  'page.css': { body: PAGE_CSS, contentType: 'text/css; charset=utf-8' },
});

function notFound(): ApiError {
  return new ApiError('route_not_found', { detail: 'There is no such page.' });
}
