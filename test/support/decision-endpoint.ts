/** A decision endpoint of an integrator on the loopback address. It approves, unless the test says otherwise. */
import type { Client } from '../../scripts/harness/client.ts';
import { succeeded } from '../../scripts/harness/client.ts';
import type { Transaction } from './purchases.ts';
import { type Answer, type Received, startReceiver } from './receiver.ts';

export interface DecisionEndpoint {
  readonly url: string;
  readonly received: readonly Received[];
  /** Transactions that it was asked about. */
  asked(): (Transaction & { dry_run?: true; message: Readonly<Record<string, unknown>> })[];
  answers(answer: object | Answer): void;
  /** Forgets what it was asked. */
  forget(): void;
  arrivals(count: number): Promise<void>;
  close(): Promise<void>;
}

export const APPROVES = { decision: 'approved' };
export const HANGS: Answer = () => undefined;

export async function startDecisionEndpoint(): Promise<DecisionEndpoint> {
  let answer: object | Answer = APPROVES;
  const receiver = await startReceiver((response, request, number) => {
    if (typeof answer === 'function') (answer as Answer)(response, request, number);
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  return {
    ...receiver,
    asked: () => receiver.received.map(({ body }) => JSON.parse(body)),
    answers(next) {
      answer = next;
    },
    forget: () => void receiver.received.splice(0),
  };
}

export interface DecidingProgram {
  readonly decision: {
    readonly url: string;
    readonly default: 'approve' | 'decline';
    readonly timeout_ms?: number;
  } | null;
  readonly [member: string]: unknown;
}

/** The secret, where the program had none before. */
export async function updateProgram(client: Client, program: DecidingProgram): Promise<string | undefined> {
  return succeeded(await client.patch<{ decision_secret?: string }>('/v1/cards/program', program)).decision_secret;
}
