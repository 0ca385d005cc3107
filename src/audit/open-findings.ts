/**
 * Findings that are open: told once when they come up, and forgotten when a whole round has passed without them. So a
 * number that falls to nothing means that it has been mended, and a fault of a year makes one line, not a million.
 */
import type { Finding } from '../verify/finding.ts';

/** Of each kind so many are told and remembered: whoever reads a thousand lines knows that there are more. */
const KEPT = 1_000;

export class OpenFindings {
  readonly #kinds = new Map<Finding['check'], Map<string, number>>();
  readonly #tell: (finding: Finding) => void;
  #round = 0;

  constructor(tell: (finding: Finding) => void) {
    this.#tell = tell;
  }

  add(finding: Finding): void {
    const key = [finding.book, ...Object.values(finding.ids)].join(' ');
    let known = this.#kinds.get(finding.check);
    if (!known) {
      known = new Map();
      this.#kinds.set(finding.check, known);
    }
    if (!known.has(key)) {
      if (known.size >= KEPT) return;
      this.#tell(finding);
    }
    known.set(key, this.#round);
  }

  /** Everything has been looked at once since this was last called. */
  endRound(): void {
    for (const [kind, known] of this.#kinds) {
      for (const [key, seen] of known) if (seen < this.#round) known.delete(key);
      if (known.size === 0) this.#kinds.delete(kind);
    }
    this.#round++;
  }

  /** How many are open, by kind. */
  counts(): Map<Finding['check'], number> {
    return new Map([...this.#kinds].map(([kind, known]) => [kind, known.size]));
  }
}
