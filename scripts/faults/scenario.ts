/** A scenario: one fault, what must hold while it lasts, and what must hold after any fault. */
import type { Failpoint } from '../../src/process/failpoints.ts';
import { until } from '../harness/client.ts';
import type { Random } from '../harness/random.ts';
import { FAULT_PATIENCE_MS } from '../harness/until.ts';
import type { BuiltRelease } from './last-release.ts';
import type { Load, LoadOptions } from './load.ts';
import type { PaymentLoad } from './payment-load.ts';
import type { Backend, Stage } from './stage.ts';

export interface Play {
  readonly stage: Stage;
  /** Goes on during the fault, and is checked to its last payout afterwards. */
  readonly load: Load;
  /** The same with payments. Makes none where a stage begins with a release that has none. */
  readonly payments: PaymentLoad;
  /** Where and when to strike: the same for the same seed. */
  readonly random: Random;
  /**
   * Adds a check that runs when everything has come to its end and nothing else is wrong. Returns what is wrong, a line
   * each.
   */
  readonly afterwards: (look: () => Promise<string[]>) => void;
}

export interface Scenario {
  readonly name: string;
  /** What is done to the product, in a sentence. */
  readonly about: string;
  /** Only on this queue backend. */
  readonly only?: Backend;
  /** Part of `--quick`. */
  readonly quick?: true;
  /** The point at which a process kills itself. */
  readonly diesAt?: Failpoint;
  /** Returns why the scenario cannot be played on this machine; undefined when it can. */
  readonly unfit?: () => string | undefined;
  /** The release whose schema and processes a stage of the scenario's own begins with. */
  readonly release?: () => Promise<BuiltRelease>;
  /** May follow others under one load, and is judged with them: what it leaves behind does not disturb the next. */
  readonly together?: true;
  /** Load options that differ from the usual ones. */
  readonly load?: Pick<LoadOptions, 'thinkMs'>;
  /** The load pays from the books of small tenants, so that batches are of several books. */
  readonly shared?: true;
  /** Injects the fault and ends it. Throws when something is not as it must be meanwhile. */
  readonly play: (play: Play) => Promise<void>;
}

/** An expectation of a scenario that does not hold. */
class NotAsExpected extends Error {
  override name = 'NotAsExpected';
}

export function expectThat(holds: boolean, otherwise: string): void {
  if (!holds) throw new NotAsExpected(otherwise);
}

export async function untilThat(
  what: string,
  look: () => Promise<boolean> | boolean,
  { timeoutMs = FAULT_PATIENCE_MS } = {},
): Promise<void> {
  try {
    await until(look, Boolean, { timeoutMs });
  } catch (cause) {
    throw new NotAsExpected(`Never came: ${what}`, { cause });
  }
}

/** Lets the load go on for a while. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
