/** `npm run ops -- approval-policy approve`: the operator is the second person of an organisation that has but one. */

import { userInfo } from 'node:os';
import { type Command, InvalidArgumentError } from 'commander';
import { lowBalances } from '../src/accounts/account/low-balance.ts';
import { watchForms } from '../src/db/forms.ts';
import type { Pool } from '../src/db/pool.ts';
import { Committer } from '../src/ledger/commit/committer.ts';
import { findOrganisationOfBook } from '../src/organisations/organisation-store.ts';
import { hasSeveralPersons } from '../src/organisations/person-store.ts';
import { approvePolicy } from '../src/payouts/policies/change-policy.ts';
import { encodeActor } from '../src/values/actor.ts';
import { systemClock } from '../src/values/clock.ts';
import { newId, parsePublicId, publicId } from '../src/values/ids.ts';
import { webhookSink } from '../src/webhooks/backlogs/event-sink.ts';

type WithDatabase = (work: (pool: Pool) => Promise<void>) => Promise<void>;

export function addPolicy(program: Command, { withDatabase }: { withDatabase: WithDatabase }): void {
  program
    .command('approval-policy')
    .description('the approval policy of payouts, where an organisation has but one person')
    .command('approve')
    .description('approve the change that this person has proposed by the API')
    .argument('<book>', 'book_…, as `books list` shows it')
    .argument('<version>', 'the version that was read, as the API shows it', parseVersion)
    .option('--by <name>', 'who decides; the user of this system without it')
    .action((book: string, version: number, { by }: { by?: string }) =>
      withDatabase(async (pool) => {
        const name = (by ?? userInfo().username).slice(0, 100);
        console.log(await approveInPlace(pool, book, { version, actor: encodeActor({ type: 'operator', name }) }));
      }),
    );
}

/** Resolves to the policy in force. Throws Error with what to do instead. */
export async function approveInPlace(
  pool: Pool,
  shownBook: string,
  { version, actor }: { readonly version: number; readonly actor: string },
): Promise<string> {
  const bookId = parsePublicId('book', shownBook);
  const organisationId = bookId && (await findOrganisationOfBook(pool, bookId));
  if (!bookId || !organisationId)
    throw new Error(`There is no book ${shownBook}. \`npm run ops -- books list\` shows them.`);
  if (await hasSeveralPersons(pool, organisationId))
    throw new Error(
      `${publicId('organisation', organisationId)} has several persons: another one than who proposed the policy approves it.`,
    );
  const forms = watchForms(pool, { onFailure: () => undefined });
  await forms.read().finally(() => forms.close());
  const committer = new Committer({
    watch: lowBalances,
    pool,
    clock: systemClock,
    sink: webhookSink,
    forms,
    enqueue: () => undefined,
  });
  try {
    const answer = await committer.submit(bookId, approvePolicy({ bookId, requestId: newId(), actor, version }));
    if (answer.refused) throw new Error(`${answer.detail} Nothing was changed.`);
    return answer.body.text;
  } finally {
    await committer.close();
  }
}

function parseVersion(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number from 1.');
}
