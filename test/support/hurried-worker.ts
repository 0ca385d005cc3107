/** A process with a worker of queues on Postgres. It ends with 0 when its timers fire, also after the pool has ended under a job in hand. */
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { createPostgresQueueBackend } from '../../src/queue/postgres-backend.ts';

const TURNS = 10;

async function turns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await pause(10);
}

const backend = createPostgresQueueBackend({ url: process.argv[2]!, log: pino({ level: 'silent' }) });
let finish: () => void = () => undefined;
const inHand = new Promise<void>((resolve) => {
  finish = resolve;
});
const begun = new Promise<void>((resolve) => {
  const answer = () => {
    resolve();
    return inHand;
  };
  backend.openWorker('{hurried}', answer, { concurrency: 1 }).on('error', () => resolve());
});
const queue = backend.openQueue('{hurried}');
queue.on('error', () => undefined);
await queue.add('job', {}, backend.jobOptions(undefined)).catch(() => undefined);
await begun;
await turns();
// Does not end while the worker has its connection.
void backend.close();
finish();
await turns();
process.exit(0);
