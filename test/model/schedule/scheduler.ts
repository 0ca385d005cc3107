/**
 * The order of steps. Everything that leaves a process's memory (a statement, a database transaction, a queue, a rail,
 * a receiver, a pause) waits at a gate. Each step lets one gate pass and finishes its effect before the next. One
 * thread and one seed therefore make one history.
 */
import type { SeededRandom } from './seeded-random.ts';

/** What happens to the call at a gate. */
export type Fault =
  | 'none'
  /** It is done, and the answer is lost. */
  | 'lost'
  /** It is not done, and the caller gets an error. */
  | 'refused'
  /** The caller gets an error, and it is done later. */
  | 'late'
  /** The process dies before it is done, or before the answer arrives. */
  | 'dies before'
  | 'dies after';

export interface Owner {
  readonly name: string;
  isAlive: boolean;
}

/** The owner of work outside every process. */
export const WORLD: Owner = { name: 'world', isAlive: true };

interface Gate {
  readonly owner: Owner;
  /** The step until which the gate is stalled, like a stopped process or a delayed packet. */
  readonly stillUntil?: number;
  readonly what: string;
  readonly faults: readonly Fault[];
  /** False while another stands in the way. */
  readonly isOpen?: () => boolean;
  /** Called when the owner has died here. */
  readonly orphaned?: () => void;
  /** Resolves once the immediate effect is done. */
  readonly pass: (fault: Fault) => Promise<void>;
}

export interface Errand<Answer> {
  readonly what: string;
  readonly faults: readonly Fault[];
  act(): Promise<Answer> | Answer;
  /** The error for a lost answer. */
  failure(): Error;
}

/** Turns of the event loop until the code behind a passed gate reaches its next one. The product takes one or two. */
const TURNS = 4;
const TRACE_KEPT = 400;
/** A gate passes a statement or a short transaction, which the driver ends sooner. */
const STANDSTILL_MS = 60_000;
/** The longest stall: enough for the sweeper to enqueue again, and for clients to repeat a request and give up. */
const STILL_STEPS = 300;

export class Scheduler {
  readonly random: SeededRandom;
  /** The latest events, in words. */
  readonly trace: string[] = [];
  /** A hash of all events, to compare two runs. */
  fingerprint = 0;
  steps = 0;
  /** How often each fault occurred, and other counts. */
  readonly seen = new Map<string, number>();
  #gates: Gate[] = [];
  #hurries = false;
  #onDeath: (owner: Owner) => void = () => undefined;

  /** The odds that a gate is stalled. */
  readonly #stillness: number;

  constructor(random: SeededRandom, odds: { still: number }) {
    this.random = random;
    this.#stillness = odds.still;
  }

  onDeath(listener: (owner: Owner) => void): void {
    this.#onDeath = listener;
  }

  /** The number of gates that may pass. After `hurry` these include stalled ones. */
  get ready(): number {
    return this.#ready().length;
  }

  hurry(): void {
    this.#hurries = true;
  }

  wait(gate: Gate): void {
    if (!gate.owner.isAlive) return;
    const isStill = gate.stillUntil === undefined && this.random.chance(this.#stillness);
    this.#gates.push(isStill ? { ...gate, stillUntil: this.#later() } : gate);
  }

  /** Resolves when the gate passes; never, if its process dies. */
  come<Answer>(owner: Owner, errand: Errand<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.wait({
        owner,
        what: errand.what,
        faults: errand.faults,
        pass: async (fault) => {
          if (fault === 'dies before') return this.kill(owner);
          if (fault === 'refused' || fault === 'late') reject(errand.failure());
          if (fault === 'late') this.#doLater(errand);
          if (fault === 'refused' || fault === 'late') return;
          try {
            const answer = await errand.act();
            if (fault === 'lost') reject(errand.failure());
            else if (fault === 'none') resolve(answer);
          } catch (error) {
            reject(error);
          }
          if (fault === 'dies after') this.kill(owner);
        },
      });
    });
  }

  /** Drops the process with its memory and its gates. */
  kill(owner: Owner): void {
    if (!owner.isAlive) return;
    owner.isAlive = false;
    const left = this.#gates.filter((gate) => gate.owner === owner);
    this.#gates = this.#gates.filter((gate) => gate.owner !== owner);
    this.count('deaths');
    this.note(`${owner.name} dies`);
    for (const gate of left) gate.orphaned?.();
    this.#onDeath(owner);
  }

  /** Lets one gate pass. `faults` are the odds of each fault that the gate allows. */
  async letOne(faults: Readonly<Partial<Record<Fault, number>>>): Promise<void> {
    const gate = this.random.pick(this.#ready());
    this.#gates.splice(this.#gates.indexOf(gate), 1);
    const known = gate.faults.filter((fault) => this.random.chance(faults[fault] ?? 0));
    const fault = known.length === 0 ? 'none' : this.random.pick(known);
    this.note(`${gate.owner.name}: ${gate.what}${fault === 'none' ? '' : `, ${fault}`}`);
    if (fault !== 'none') this.count(fault);
    await this.#passed(gate, fault);
    await this.settle();
  }

  /** Fails by the real clock, so that a call that never ends is reported with its seed. */
  async #passed(gate: Gate, fault: Fault): Promise<void> {
    let alarm: NodeJS.Timeout | undefined;
    const standstill = new Promise<never>((_, reject) => {
      alarm = setTimeout(() => reject(new Error(`${gate.owner.name} stands still in ${gate.what}`)), STANDSTILL_MS);
    });
    await Promise.race([gate.pass(fault), standstill]);
    clearTimeout(alarm);
  }

  /** Waits until all code has reached a gate. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  count(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
  }

  note(what: string): void {
    this.trace.push(`${this.steps} ${what}`);
    if (this.trace.length > TRACE_KEPT) this.trace.shift();
    for (let at = 0; at < what.length; at++) {
      this.fingerprint = (Math.imul(this.fingerprint, 31) + what.charCodeAt(at)) | 0;
    }
  }

  #ready(): Gate[] {
    return this.#gates.filter(
      ({ stillUntil = 0, isOpen }) => (this.#hurries || stillUntil <= this.steps) && isOpen?.() !== false,
    );
  }

  #later(): number {
    return this.steps + 1 + this.random.below(STILL_STEPS);
  }

  #doLater(errand: Errand<unknown>): void {
    const act = async () => {
      await errand.act();
    };
    const pass = () => act().catch(() => undefined);
    this.wait({ owner: WORLD, what: `${errand.what}, late`, faults: [], stillUntil: this.#later(), pass });
  }
}
