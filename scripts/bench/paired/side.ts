/** One of the two builds of a paired bench, on servers of its own. The bench drives both by HTTP and by commands. */
import { type Build, outputOf } from '../../harness/build.ts';
import type { Closing } from '../closing.ts';
import type { QueueBackend, Stage } from '../stage.ts';
import type { RunSlice } from './rounds.ts';

export interface SideOptions {
  readonly closing: Closing;
  readonly build: Build;
  readonly queue: QueueBackend;
  /** Also measure the garbage collection of the API (bench accept). */
  readonly gc?: boolean;
}

export interface Side {
  readonly versions: Stage['versions'];
  readonly run: RunSlice;
  /** Stops its processes and verifies the ledger. Throws when it does not verify. */
  check(): Promise<Record<string, unknown>>;
}

/** A key for everything in the test book of a new organisation. */
export async function createKey({ build, environment }: Stage): Promise<string> {
  const words = ['keys', 'create', '--organisation', 'Paired', '--mode', 'test', '--json'] as const;
  return (JSON.parse(await outputOf(build.root, words, environment)) as { key: string }).key;
}
