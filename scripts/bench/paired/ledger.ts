/** Bench `paired ledger`: entries a second through the committer, in a process of its own for each build. */
import { startHelper } from '../children.ts';
import { setStage } from '../stage.ts';
import { verifyLedger } from '../verify.ts';
import type { LedgerQuestion, LedgerSlice } from './ledger-side.ts';
import type { Side, SideOptions } from './side.ts';

export const LEDGER_SLICES: readonly LedgerSlice[] = ['uniform', 'hot', 'books4', 'concurrent', 'one_by_one'];

export async function openLedgerSide({ closing, build }: SideOptions): Promise<Side> {
  const stage = await setStage(closing, { queue: null, build });
  const committer = startHelper(closing, 'paired/ledger-side');
  const ask = <Answer>(question: LedgerQuestion) => committer.ask<Answer>(question);
  await ask({ ask: 'open', root: build.root, databaseUrl: stage.postgres.applicationUrl });
  return {
    versions: stage.versions,
    async run(slice) {
      return { [`${slice}_per_s`]: await ask<number>({ ask: 'run', slice: slice as LedgerSlice }) };
    },
    async check() {
      await ask({ ask: 'close' });
      return verifyLedger(stage);
    },
  };
}
