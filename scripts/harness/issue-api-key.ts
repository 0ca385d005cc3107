/** Keys for scenarios, benches and tests: made and rolled by the operator's own commands, as `npm run keys` does. */
import { lowBalances } from '../../src/accounts/account/low-balance.ts';
import { EARLIEST_FORMS } from '../../src/db/forms.ts';
import type { Pool } from '../../src/db/pool.ts';
import { Committer } from '../../src/ledger/commit/committer.ts';
import { type ApiKeyOfBook, findApiKey } from '../../src/organisations/api-key-store.ts';
import * as operator from '../../src/organisations/issue-api-key.ts';
import { encodeActor } from '../../src/values/actor.ts';
import type { Clock } from '../../src/values/clock.ts';
import type { Uuid } from '../../src/values/ids.ts';
import { webhookSink } from '../../src/webhooks/backlogs/event-sink.ts';

export interface IssuedKey {
  readonly key: ApiKeyOfBook;
  readonly token: string;
}

export function issueApiKey(pool: Pool, clock: Clock, request: operator.IssueApiKey): Promise<IssuedKey> {
  return withKey(pool, clock, (issuer) => operator.issueApiKey(issuer, request));
}

export function rollApiKey(pool: Pool, clock: Clock, old: { id: Uuid; overlapMs: number }): Promise<IssuedKey> {
  return withKey(pool, clock, (issuer) => operator.rollApiKey(issuer, old));
}

/** In the earliest forms, in which the operator's commands about keys emit none: the events of a book are those of its scenario. */
async function withKey(
  pool: Pool,
  clock: Clock,
  make: (issuer: operator.KeyIssuer) => Promise<operator.IssuedApiKey>,
): Promise<IssuedKey> {
  const sink = webhookSink;
  const committer = new Committer({
    watch: lowBalances,
    pool,
    clock,
    sink,
    forms: EARLIEST_FORMS,
    enqueue: () => undefined,
  });
  try {
    const actor = encodeActor({ type: 'operator', name: 'harness' });
    const { id, token } = await make({ db: pool, committer, actor });
    return { key: (await findApiKey(pool, id))!, token };
  } finally {
    await committer.close();
  }
}
