/**
 * Property tests draw the same values in every run, unless FC_SEED says otherwise: what chance finds, a long run looks for, with FC_RUNS
 * times the runs (runs.ts).
 */
import { configureGlobal } from 'fast-check';
import { seedOf } from '../../scripts/harness/seed.ts';
import { runs } from './runs.ts';

/** fast-check's own. */
const USUAL_RUNS = 100;

configureGlobal({ seed: seedOf(process.env.FC_SEED), numRuns: runs(USUAL_RUNS) });
