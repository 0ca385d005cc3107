/** `npm run ops -- erase RESOURCE`: lists the places with personal text of an object, asks, and erases it. */

import { userInfo } from 'node:os';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { lowBalances } from '../src/accounts/account/low-balance.ts';
import { type Forms, watchForms } from '../src/db/forms.ts';
import { createPool, type Pool } from '../src/db/pool.ts';
import { RESOURCES } from '../src/groups.ts';
import { Committer } from '../src/ledger/commit/committer.ts';
import { erasableKinds } from '../src/operations/erasable.ts';
import { erase, findErasable, listPlaces, type PlaceCount } from '../src/operations/erase.ts';
import { createLogger } from '../src/process/log.ts';
import { encodeActor } from '../src/values/actor.ts';
import { formatInstant, systemClock } from '../src/values/clock.ts';
import { ID_PREFIXES, publicId } from '../src/values/ids.ts';
import { webhookSink } from '../src/webhooks/backlogs/event-sink.ts';

type WithDatabase = (work: (pool: Pool, environment: NodeJS.ProcessEnv) => Promise<void>) => Promise<void>;
type TableOf = (rows: readonly Record<string, unknown>[]) => string;

interface EraseOptions {
  dryRun?: boolean;
  yes?: boolean;
  by?: string;
  json?: boolean;
}

export function addErase(
  program: Command,
  { withDatabase, tableOf }: { withDatabase: WithDatabase; tableOf: TableOf },
): void {
  program
    .command('erase')
    .description('erase the personal text of an object everywhere, as DATABASE_OWNER_URL; there is no way back')
    .argument('<id>', erasableIds())
    .option('--dry-run', 'only list the places')
    .option('--yes', 'do not ask')
    .option('--by <name>', 'who erases; the user of this system without it')
    .option('--json', 'print one JSON object; asks nothing, so needs --yes or --dry-run')
    .action((id: string, options: EraseOptions) =>
      withDatabase(async (pool, environment) => {
        const ownerUrl = environment.DATABASE_OWNER_URL;
        if (!ownerUrl) throw new Error('DATABASE_OWNER_URL is not set: the application may erase nothing.');
        const forms = watchForms(pool, { onFailure: () => undefined });
        await forms.read().finally(() => forms.close());
        const owner = createPool({
          url: ownerUrl,
          name: 'countinghouse-ops',
          size: 2,
          log: createLogger('silent', 'ops'),
        });
        try {
          await eraseAsked({ owner, forms, tableOf }, id, options);
        } finally {
          await owner.end();
        }
      }),
    );
}

async function eraseAsked(
  { owner, forms, tableOf }: { owner: Pool; forms: Forms; tableOf: TableOf },
  id: string,
  { dryRun, yes, by, json }: EraseOptions,
): Promise<void> {
  const subject = await findErasable(owner, RESOURCES, id);
  if (!subject) throw new Error(`There is no object ${id} with personal text. Such are ${erasableIds()}.`);
  const places = await listPlaces(owner, RESOURCES, subject);
  if (!json) console.log(tableOf(places.map(({ place, rows }) => ({ place, rows }))));
  if (dryRun) {
    if (json) console.log(JSON.stringify({ id, places }));
    return;
  }
  if (!yes && (json || !(await confirmed(id)))) throw new Error('Nothing was erased.');
  const committer = new Committer({
    watch: lowBalances,
    pool: owner,
    clock: systemClock,
    sink: webhookSink,
    forms,
    enqueue: () => undefined,
  });
  try {
    const actor = encodeActor({ type: 'operator', name: (by ?? userInfo().username).slice(0, 100) });
    const onPlace = ({ place, rows }: PlaceCount) => void (json || console.log(`${rows} erased in ${place}`));
    const { erasure, places: erased } = await erase(
      { pool: owner, resources: RESOURCES, committer, clock: systemClock, actor, onPlace },
      subject,
    );
    const facts = { id, book: publicId('book', subject.bookId), by: erasure?.actor ?? null };
    const at = erasure?.finishedAt ?? null;
    if (json)
      console.log(JSON.stringify({ ...facts, erased_at: at === null ? null : formatInstant(at), places: erased }));
    else console.log(at === null ? 'There was nothing to erase.' : `Erased by ${facts.by} at ${formatInstant(at)}.`);
  } finally {
    await committer.close();
  }
}

function erasableIds(): string {
  const kinds = erasableKinds(RESOURCES);
  return kinds.map(({ kind }) => `${ID_PREFIXES[kind]}_…`).join(', ');
}

async function confirmed(id: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(`Erase this for good? Type ${id} to go on: `)).trim() === id;
  } finally {
    terminal.close();
  }
}
