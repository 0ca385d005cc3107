/**
 * The API as an Express application. Query parser, etag and CORS are off, and one function handles a whole request
 * (pipeline/pipeline.ts).
 */
import express, { type ErrorRequestHandler, type Express } from 'express';
import type { ApiRuntime } from '../api/api-runtime.ts';
import type { Route } from '../api/route.ts';
import type { Logger } from '../process/log.ts';
import { warnSeldom } from '../process/seldom.ts';
import { createClientAddress, type UnreadableKind } from './connections/client-address.ts';
import { leaveOnClose } from './connections/connections.ts';
import { swallowBody } from './input/request-body.ts';
import { mountOperations } from './operations.ts';
import { mountPageAssets, mountPages } from './pages.ts';
import { mountPartners } from './partners.ts';
import { sendFailure } from './pipeline/failure.ts';
import { RequestContext } from './pipeline/request-context.ts';
import { mountRoutes, noRoute } from './pipeline/router.ts';
import { ApiServices } from './pipeline/services.ts';
import { mountReference } from './reference/reference.ts';
import { EVENT_DOCUMENTS, PAGE_ASSETS, PAGES, ROUTES } from './routes.ts';

export function createApp(
  runtime: ApiRuntime,
  services = new ApiServices(runtime),
  routes: readonly Route[] = ROUTES,
): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  // A path has one spelling, one route and one fingerprint: /v1/Payouts/ is not /v1/payouts.
  app.enable('case sensitive routing');
  app.enable('strict routing');

  // The access log writes a fixed set of fields without secrets, so redaction is off: it costs more than writing the
  // line.
  const requestParts = {
    log: runtime.log.child({}, { redact: [] }),
    metrics: runtime.metrics,
    addressOf: createClientAddress(runtime.config.TRUSTED_PROXIES, logUnreadable(runtime.log)),
  };
  app.use((request, response, next) => {
    request.context = new RequestContext(requestParts, request, response);
    leaveOnClose(request, response);
    next();
  });

  const parts = { runtime, services };
  mountRoutes(app, routes, parts);
  mountPages(app, PAGES, parts);
  mountPageAssets(app, PAGE_ASSETS);
  mountOperations(app, parts);
  mountPartners(app, parts);
  mountReference(app, {
    routes,
    events: EVENT_DOCUMENTS,
    publicUrl: () => runtime.publicUrl,
    sandboxKey: () => runtime.sandboxKey,
  });

  app.use((request) => {
    throw noRoute(routes, request);
  });
  const warnUnavailable = warnSeldom(runtime.log, 'requests not served');
  app.use(((error, request, _response, _next) => {
    if (!request.complete) swallowBody(request);
    sendFailure(request.context, error, { log: runtime.log, warnUnavailable, publicUrl: runtime.publicUrl });
  }) satisfies ErrorRequestHandler);
  return app;
}

/** Too few characters to identify a client or a card. */
const START_LENGTH = 8;

/** Logs how a kind of unreadable address begins, once: an operator sees that a proxy hides its clients, and how. */
function logUnreadable(log: Logger): (kind: UnreadableKind, node: string) => void {
  const logged = new Set<UnreadableKind>();
  return (kind, node) => {
    if (logged.has(kind)) return;
    logged.add(kind);
    log.warn(
      { kind, start: node.slice(0, START_LENGTH) },
      'a trusted proxy names no address of its client in X-Forwarded-For: the request counts as from nobody',
    );
  };
}
