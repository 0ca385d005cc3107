/** The monitoring of a worker process: /livez, /readyz, /metrics. */
import { createServer } from 'node:http';
import { Readiness } from '../src/db/readiness.ts';
import type { Runtime } from '../src/runtime.ts';

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Readiness is of this process alone: its connection to Postgres, whether its queues give jobs, and whether it is stopping. */
export async function startHealthServer(
  runtime: Pick<Runtime, 'config' | 'metrics' | 'log' | 'stalledQueues'>,
  options: { host: string; port: number; draining: () => boolean },
): Promise<HealthServer> {
  const readiness = new Readiness(runtime.config, runtime.log);
  const unreachable = async () => ((await readiness.postgresAnswers()) ? undefined : 'postgres');
  const stalled = () => {
    const queue = runtime.stalledQueues.stalled();
    return queue && `no job comes out of the queue ${queue}`;
  };
  const pages: Record<string, () => Promise<{ status: number; type: string; body: string }>> = {
    '/livez': async () => ({ status: 200, type: 'text/plain', body: 'ok\n' }),
    '/readyz': async () => {
      const reason = options.draining() ? 'draining' : ((await unreachable()) ?? stalled());
      return { status: reason ? 503 : 200, type: 'text/plain', body: `${reason ?? 'ok'}\n` };
    },
    '/metrics': async () => ({
      status: 200,
      type: runtime.metrics.contentType,
      body: await runtime.metrics.render(),
    }),
  };
  const server = createServer(async (request, response) => {
    const page = pages[request.url?.split('?')[0] ?? ''];
    if (!page || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(page ? 405 : 404).end();
      return;
    }
    try {
      const { status, type, body } = await page();
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
      response.end(request.method === 'HEAD' ? undefined : body);
    } catch (error) {
      runtime.log.error({ err: error }, 'health page failed');
      response.writeHead(500).end();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : options.port,
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await readiness.close();
    },
  };
}
