/** Liveness, readiness and metrics of a process, without an API key. */
import type { Express } from 'express';
import type { PipelineParts } from './pipeline/pipeline.ts';
import { closePath } from './pipeline/router.ts';

/**
 * Readiness concerns this process only. A problem of the whole installation is an alert, not a reason to take the
 * process out of the load balancer.
 */
export function mountOperations(app: Express, { runtime, services }: PipelineParts): void {
  const livez = app.route('/livez').get((request) => {
    quietly(request.context, '/livez').send({ status: 200, body: '{"status":"ok"}' });
  });
  closePath(livez, '/livez', ['GET']);

  const readyz = app.route('/readyz').get(async (request) => {
    const context = quietly(request.context, '/readyz');
    const postgres = await services.readiness.postgresAnswers();
    const stalled = runtime.stalledQueues.stalled();
    const ready = postgres && stalled === undefined && !services.draining;
    const body = JSON.stringify({
      status: ready ? 'ok' : 'unavailable',
      postgres: postgres ? 'ok' : 'unreachable',
      draining: services.draining,
      ...(stalled !== undefined && { stalled_queue: stalled }),
    });
    context.send({ status: ready ? 200 : 503, body });
  });
  closePath(readyz, '/readyz', ['GET']);

  const metrics = app.route('/metrics').get(async (request) => {
    const context = quietly(request.context, '/metrics');
    context.send({ status: 200, contentType: runtime.metrics.contentType, body: await runtime.metrics.render() });
  });
  closePath(metrics, '/metrics', ['GET']);
}

function quietly(context: Express.Request['context'], route: string): Express.Request['context'] {
  context.route = route;
  context.quiet = true;
  return context;
}
