/** `npm run verify -- --pack DIR --public-key KEY`: checks a close pack, without a database or a network, and prints each result. */
import { BadInput } from '../src/intake/bad-input.ts';
import { judgePack } from '../src/packs/judge-pack.ts';
import { UnreadablePack } from '../src/packs/pack.ts';
import { readPack } from '../src/packs/pack-folder.ts';
import { UnreadableProof } from '../src/proofs/proof-file.ts';
import { rowProgress } from './row-progress.ts';
import { printJudgements } from './verify-proofs.ts';

const CLEAN = 0;
const FOUND = 1;
const COULD_NOT_RUN = 2;

export interface VerifyPackOptions {
  readonly pack: string;
  readonly previousPack?: string;
  readonly publicKey?: readonly string[];
  readonly json?: boolean;
}

/** The exit code. */
export async function verifyPack({
  pack,
  previousPack,
  publicKey: keys = [],
  json,
}: VerifyPackOptions): Promise<number> {
  try {
    const progress = rowProgress();
    const judgements = await judgePack(readPack(pack), {
      keys,
      previous: previousPack === undefined ? undefined : readPack(previousPack),
      onProgress: ({ done, total }) => progress.show({ done, total, what: 'entries of the pack' }),
    });
    progress.end();
    return printJudgements(judgements, { keys, json }) ? CLEAN : FOUND;
  } catch (error) {
    if (!(error instanceof UnreadablePack || error instanceof BadInput || error instanceof UnreadableProof))
      throw error;
    if (json) console.log(JSON.stringify({ ok: false, error: error.message }));
    console.error(`Could not verify: ${error.message}`);
    return COULD_NOT_RUN;
  }
}
