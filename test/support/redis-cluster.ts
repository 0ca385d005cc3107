/** A Redis Cluster of three masters on free ports, without replicas, ended with the process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { until } from '../../scripts/harness/client.ts';
import { quietPort } from '../../src/embedded/postmaster.ts';

/** First and last slot of each master: all 16,384 slots. */
const SLOTS = [
  [0, 5_460],
  [5_461, 10_922],
  [10_923, 16_383],
] as const;

export interface TestRedisCluster {
  /** The nodes in the form of REDIS_URL. */
  readonly urls: string;
  /** The keys of each node, in the order of the nodes. */
  keys(): Promise<string[][]>;
  client(node: number): Redis;
  kill(node: number): Promise<void>;
  /** Starts the node again on its port, with the data of its append-only file. */
  start(node: number): Promise<void>;
  flush(): Promise<void>;
  remove(): Promise<void>;
}

export async function startRedisCluster(): Promise<TestRedisCluster> {
  const directory = mkdtempSync(join(tmpdir(), 'countinghouse-cluster-'));
  const nodes: { port: number; busPort: number; server?: ChildProcess; client: Redis }[] = [];

  function spawnNode(at: number): void {
    const node = nodes[at]!;
    node.server = spawn(
      'redis-server',
      [
        ...['--port', String(node.port), '--cluster-port', String(node.busPort), '--bind', '127.0.0.1'],
        ...['--cluster-enabled', 'yes', '--cluster-config-file', `nodes-${at}.conf`, '--cluster-node-timeout', '1000'],
        ...['--save', '', '--appendonly', 'yes', '--appenddirname', `aof-${at}`, '--dir', directory],
      ],
      { stdio: 'ignore' },
    );
  }

  process.once('exit', () => {
    for (const { server } of nodes) server?.kill('SIGKILL');
  });
  for (let at = 0; at < SLOTS.length; at++) {
    const [port, busPort] = [await quietPort(), await quietPort()];
    const client = new Redis({ port, retryStrategy: () => 50, maxRetriesPerRequest: null });
    client.on('error', () => undefined);
    nodes.push({ port, busPort, client });
    spawnNode(at);
  }
  await Promise.all(nodes.map(({ client }, at) => client.call('CLUSTER', 'ADDSLOTSRANGE', ...SLOTS[at]!.map(String))));
  for (const { port, busPort } of nodes.slice(1)) {
    await nodes[0]!.client.call('CLUSTER', 'MEET', '127.0.0.1', String(port), String(busPort));
  }
  const whole = () =>
    Promise.all(nodes.map(({ client }) => client.call('CLUSTER', 'INFO') as Promise<string>)).then((told) =>
      told.every((text) => text.includes('cluster_state:ok') && text.includes('cluster_known_nodes:3')),
    );
  await until(whole, Boolean);

  return {
    urls: nodes.map(({ port }) => `redis://127.0.0.1:${port}`).join(','),
    keys: () => Promise.all(nodes.map(({ client }) => client.keys('*'))),
    client: (node) => nodes[node]!.client,
    async kill(at) {
      const { server } = nodes[at]!;
      const gone = new Promise((resolve) => server!.once('exit', resolve));
      server!.kill('SIGKILL');
      await gone;
    },
    async start(at) {
      spawnNode(at);
      await until(whole, Boolean);
    },
    async flush() {
      await Promise.all(nodes.map(({ client }) => client.flushall()));
    },
    async remove() {
      for (const { client, server } of nodes) {
        client.disconnect();
        server?.kill('SIGKILL');
      }
      await Promise.all(
        nodes.map(({ server }) => server?.exitCode ?? new Promise((resolve) => server?.once('exit', resolve))),
      );
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
