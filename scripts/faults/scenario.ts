/** A scenario: one fault, the rules while it lasts, and the rules after any fault. */
import type { Failpoint } from '../../src/process/failpoints.ts';
import { until } from '../harness/client.ts';
import type { StartOptions } from '../harness/processes.ts';
import type { Random } from '../harness/random.ts';
import { FAULT_PATIENCE_MS } from '../harness/until.ts';
import type { BuiltVersion } from './last-version.ts';
import type { Load, LoadOptions } from './load.ts';
import type { PaymentLoad } from './payment-load.ts';
import type { Backend, Stage } from './stage.ts';

export interface Play {
  readonly stage: Stage;
  /** Goes on during the fault, and is checked to its last payout afterwards. */
  readonly load: Load;
  /** The same with payments. Makes no payments where a stage begins with a version without them. */
  readonly payments: PaymentLoad;
  /** Where and when to strike: the same for the same seed. */
  readonly random: Random;
  /** Adds a check that runs when everything has ended and nothing else is wrong. Returns what is wrong, a line each. */
  readonly afterwards: (look: () => Promise<string[]>) => void;
  /** The scenario before has started the process to die at this one's point. */
  readonly isArmed: boolean;
  /** How the process starts that the next scenario lets die. Undefined: as usual. */
  readonly next: StartOptions | undefined;
}

/** A process that dies at a point of its own. Where the next scenario is of the same one, one start serves both: it ends this fault and arms the next. */
export interface Death {
  readonly process: string;
  readonly arm: (random: Random) => StartOptions;
}

export interface Scenario {
  readonly name: string;
  /** The fault, in a sentence. */
  readonly about: string;
  /** Only on this queue backend. */
  readonly only?: Backend;
  /** Part of `--quick`. */
  readonly quick?: true;
  /** The point at which a process kills itself. */
  readonly diesAt?: Failpoint;
  readonly death?: Death;
  /** Returns why the scenario cannot be played on this machine; undefined when it can. */
  readonly unfit?: () => string | undefined;
  /** The version whose schema and processes a stage of the scenario's own begins with. */
  readonly lastVersion?: () => Promise<BuiltVersion>;
  /** May follow others under one load, and is judged with them: what it leaves behind does not disturb the next. */
  readonly together?: true;
  /** Load options that differ from the usual ones. */
  readonly load?: Pick<LoadOptions, 'thinkMs'>;
  /** The load pays from the books of small tenants, so that batches are of several books. */
  readonly shared?: true;
  /** Injects the fault and ends it. Throws when something is not as it must be meanwhile. */
  readonly play: (play: Play) => Promise<void>;
}

/** A broken expectation of a scenario. */
class NotAsExpected extends Error {
  override name = 'NotAsExpected';
}

export function expectThat(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new NotAsExpected(otherwise);
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
