/** Property tests draw the same values in every run, unless FC_SEED says otherwise: what chance finds, a long run looks for. */
import { configureGlobal } from 'fast-check';
import { seedOf } from '../../scripts/harness/seed.ts';

configureGlobal({ seed: seedOf(process.env.FC_SEED) });
