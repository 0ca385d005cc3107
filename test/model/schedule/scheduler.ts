/**
 * Who may go on: everything that leaves a process's own memory (a statement, a database transaction, a queue, a rail, a
 * receiver, a pause) waits at a gate, and each step lets one through. What it does there is done before anybody else moves,
 * so that one thread and one seed make one history.
 */
import type { SeededRandom } from './seeded-random.ts';

/** What becomes of one who is let through. */
export type Fault =
  | 'none'
  /** It is done, and the answer is lost. */
  | 'lost'
  /** It is not done, and whoever waited is told of a failure. */
  | 'refused'
  /** Whoever waited is told of a failure, and it is done later. */
  | 'late'
  /** The process dies before it is done, or with the answer on its way. */
  | 'dies before'
  | 'dies after';

export interface Owner {
  readonly name: string;
  isAlive: boolean;
}

/** Nobody's: it outlives every process. */
export const WORLD: Owner = { name: 'world', isAlive: true };

interface Gate {
  readonly owner: Owner;
  /** It stands still until this step: a process that was stopped, a packet on a long way. */
  readonly stillUntil?: number;
  readonly what: string;
  readonly faults: readonly Fault[];
  /** Resolves when all that it does at once is done. */
  readonly pass: (fault: Fault) => Promise<void>;
}

export interface Errand<Answer> {
  readonly what: string;
  readonly faults: readonly Fault[];
  act(): Promise<Answer> | Answer;
  /** What is thrown where the answer is lost. */
  failure(): Error;
}

/** Turns of the event loop in which whoever was let through comes to its next gate: the product takes one or two. */
const TURNS = 4;
const TRACE_KEPT = 400;
/** What passes a gate is a statement or a short transaction; the driver gives a statement up sooner. */
const STANDSTILL_MS = 60_000;
/** Long enough for whoever rings again, asks again and gives up. */
const STILL_STEPS = 300;

export class Scheduler {
  readonly random: SeededRandom;
  /** The last that happened, for people. */
  readonly trace: string[] = [];
  /** Over all that happened, to compare two runs. */
  fingerprint = 0;
  steps = 0;
  /** How often each fault was met, and whatever else was counted. */
  readonly seen = new Map<string, number>();
  #gates: Gate[] = [];
  #hurries = false;
  #onDeath: (owner: Owner) => void = () => undefined;

  /** How likely somebody stands still at a gate. */
  readonly #stillness: number;

  constructor(random: SeededRandom, odds: { still: number }) {
    this.random = random;
    this.#stillness = odds.still;
  }

  onDeath(listener: (owner: Owner) => void): void {
    this.#onDeath = listener;
  }

  /** Those who can be let through. In the end nobody stands still any longer. */
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

  /** Resolves when it was this one's turn; never, when its process died. */
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

  /** Its memory is gone, and with it whatever it waited for. */
  kill(owner: Owner): void {
    if (!owner.isAlive) return;
    owner.isAlive = false;
    this.#gates = this.#gates.filter((gate) => gate.owner !== owner);
    this.count('deaths');
    this.note(`${owner.name} dies`);
    this.#onDeath(owner);
  }

  /** Lets one through that waits; `faults` are how likely each is, where the gate knows it. */
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

  /** By the real clock: what never ends is told with its seed, not waited for. */
  async #passed(gate: Gate, fault: Fault): Promise<void> {
    let alarm: NodeJS.Timeout | undefined;
    const standstill = new Promise<never>((_, reject) => {
      alarm = setTimeout(() => reject(new Error(`${gate.owner.name} stands still in ${gate.what}`)), STANDSTILL_MS);
    });
    await Promise.race([gate.pass(fault), standstill]);
    clearTimeout(alarm);
  }

  /** Until everybody has come to a gate. */
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
    return this.#hurries ? this.#gates : this.#gates.filter(({ stillUntil = 0 }) => stillUntil <= this.steps);
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
