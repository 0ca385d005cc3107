/** `npm run ops -- pause | resume | pauses`: payouts that an operator keeps back. */
import { userInfo } from 'node:os';
import { Argument, type Command } from 'commander';
import { requireContractedTo } from '../src/db/contract.ts';
import type { Pool } from '../src/db/pool.ts';
import { pause, pausedOf, requireRail, resume } from '../src/payouts/pauses/change-pause.ts';
import { PAUSE_SCOPES, type Paused, type PauseScope } from '../src/payouts/pauses/pause.ts';
import { listPauses } from '../src/payouts/pauses/pause-store.ts';
import { readRailsFile } from '../src/rails/settings/read-rails-file.ts';
import { encodeActor } from '../src/values/actor.ts';
import { formatInstant, systemClock } from '../src/values/clock.ts';
import { publicId } from '../src/values/ids.ts';

interface Tools {
  withDatabase(work: (pool: Pool, environment: NodeJS.ProcessEnv) => Promise<void>): Promise<void>;
  tableOf(rows: readonly Record<string, unknown>[]): string;
}

const what = () => new Argument('<what>', 'what is kept back').choices(PAUSE_SCOPES);
const NAME = 'of a rail, the id or name of an organisation, or the id of a book; nothing with `all`';

export function addPauses(program: Command, { withDatabase, tableOf }: Tools): void {
  program
    .command('pause')
    .description('keep payouts back: they are accepted and held, and neither reserved nor sent; within two seconds')
    .addArgument(what())
    .argument('[name]', NAME)
    .option('--by <name>', 'who decides; the user of this system without it')
    .action((scope: PauseScope, name: string | undefined, { by }: { by?: string }) =>
      withDatabase(async (pool, environment) => {
        await requireContractedTo(pool, '0.4.0', 'Payouts can be paused');
        const paused = await pausedOf(pool, scope, name);
        requireRail(paused, railsOf(environment));
        const pausedBy = encodeActor({ type: 'operator', name: (by ?? userInfo().username).slice(0, 100) });
        const isNew = await pause(pool, paused, { pausedBy, now: systemClock.now() });
        console.log(isNew ? `Paused: ${shown(paused)}.` : `Already paused: ${shown(paused)}.`);
      }),
    );

  program
    .command('resume')
    .description('end a pause; what it kept back goes on')
    .addArgument(what())
    .argument('[name]', NAME)
    .action((scope: PauseScope, name: string | undefined) =>
      withDatabase(async (pool) => {
        const paused = await pausedOf(pool, scope, name);
        const released = await resume(pool, paused, systemClock.now());
        if (released === undefined)
          throw new Error(`Not paused: ${shown(paused)}. \`npm run ops -- pauses\` shows what is.`);
        console.log(`Resumed: ${shown(paused)}. Payouts that it kept back: ${released}.`);
      }),
    );

  program
    .command('pauses')
    .description('show what is kept back, the longest first')
    .option('--json', 'print one JSON object a line')
    .action(({ json }: { json?: boolean }) =>
      withDatabase(async (pool) => {
        const views = (await listPauses(pool)).map(({ pausedBy, pausedAt, ...paused }) => ({
          paused: shown(paused),
          by: pausedBy,
          since: formatInstant(pausedAt),
        }));
        if (json) for (const view of views) console.log(JSON.stringify(view));
        else console.log(views.length > 0 ? tableOf(views) : 'Nothing is paused.');
      }),
    );
}

function shown({ scope, name }: Paused): string {
  if (scope === 'all') return 'all payouts';
  if (scope === 'rail') return `rail ${name}`;
  return `${scope} ${publicId(scope, name)}`;
}

/** The rails of an installation with these settings. */
function railsOf(environment: NodeJS.ProcessEnv): string[] {
  const { rails } = readRailsFile(environment.RAILS_FILE || undefined);
  const gateway = environment.RAIL_HTTP_NAME;
  return [...new Set(['book', 'sandbox', ...(gateway ? [gateway] : []), ...rails.keys()])];
}
