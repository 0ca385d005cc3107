/** Erases as the operator's command does, within this process. */

import { lowBalances } from '../../src/accounts/account/low-balance.ts';
import { createPool } from '../../src/db/pool.ts';
import { RESOURCES } from '../../src/groups.ts';
import { Committer } from '../../src/ledger/commit/committer.ts';
import { erase, findErasable, listPlaces, type PlaceCount } from '../../src/operations/erase.ts';
import { createLogger } from '../../src/process/log.ts';
import { systemClock } from '../../src/values/clock.ts';
import { webhookSink } from '../../src/webhooks/backlogs/event-sink.ts';
import type { Product } from './product.ts';

/** Gives the places that still have a row. */
export async function eraseDirectly({ database, runtime: { forms } }: Product, id: string): Promise<PlaceCount[]> {
  const pool = createPool({ url: database.ownerUrl, name: 'test', size: 2, log: createLogger('silent', 'test') });
  const sink = webhookSink;
  const committer = new Committer({
    watch: lowBalances,
    pool,
    clock: systemClock,
    sink,
    forms,
    enqueue: () => undefined,
  });
  const subject = (await findErasable(pool, RESOURCES, id))!;
  await erase({ pool, resources: RESOURCES, committer, clock: systemClock, actor: 'operator:ann' }, subject);
  const left = (await listPlaces(pool, RESOURCES, subject)).filter(({ rows }) => rows > 0);
  await committer.close();
  await pool.end();
  return left;
}
