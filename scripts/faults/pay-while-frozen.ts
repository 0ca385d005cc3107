/** A payout that no worker has moved. */
import { randomUUID } from 'node:crypto';
import type { Account, Client, Payout } from '../harness/client.ts';
import { certainAnswer } from './certain-answer.ts';
import type { Stage } from './stage.ts';

interface Asked {
  readonly client: Client;
  readonly account: Account;
  readonly amount: number;
}

/**
 * Resolves to its id once all workers are frozen and it is accepted. A worker that was frozen within a database transaction keeps the book locked, and
 * the API answers 503 in time, as it should: then the workers go on, and another payout is made.
 */
export async function payWhileFrozen(
  { workers, accepted }: Pick<Stage, 'workers' | 'accepted'>,
  { client, account: { id: account, currency }, amount }: Asked,
): Promise<string> {
  for (;;) {
    for (const one of workers) one.freeze();
    const body = { account, currency, amount, destination: { type: 'cliq', alias: 'SHOP1' } };
    const request = { path: '/v1/payouts', key: randomUUID(), body };
    const answer = await client.post<Payout>(request.path, body, { idempotencyKey: request.key });
    if (answer.status === 202) {
      accepted.add(answer.body.id);
      return answer.body.id;
    }
    for (const one of workers) one.thaw();
    accepted.add((await certainAnswer([client], request)).body.id);
  }
}
