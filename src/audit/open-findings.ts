/**
 * Open findings. A finding is reported once when it comes up, and forgotten after a whole round without it. A count
 * that falls to zero means that the findings are mended. A finding that lasts a year makes one log line, not a million.
 */
import type { Finding } from '../group/finding.ts';

/** Findings of one kind that are reported and kept: a reader of a thousand lines knows that there are more. */
const KEPT = 1_000;

export class OpenFindings {
  readonly #kinds = new Map<Finding['check'], Map<string, number>>();
  readonly #report: (finding: Finding) => void;
  #round = 0;

  constructor(report: (finding: Finding) => void) {
    this.#report = report;
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
      this.#report(finding);
    }
    known.set(key, this.#round);
  }

  /** Ends a round: every row has been checked once since the last call. */
  endRound(): void {
    for (const [kind, known] of this.#kinds) {
      for (const [key, seen] of known) if (seen < this.#round) known.delete(key);
      if (known.size === 0) this.#kinds.delete(kind);
    }
    this.#round++;
  }

  /** Counts open findings by kind. */
  counts(): Map<Finding['check'], number> {
    return new Map([...this.#kinds].map(([kind, known]) => [kind, known.size]));
  }
}
