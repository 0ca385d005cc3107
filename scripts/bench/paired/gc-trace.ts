/** The lines that V8 writes about garbage collections with `--trace-gc`. */

export interface Collections {
  /** Time in scavenges and mark-compacts, in milliseconds. */
  ms: number;
  /** Growth of the heap from scavenge to scavenge, in megabytes: objects promoted to the old generation. */
  promotedMb: number;
}

/** `Scavenge 30.1 (40.2) -> 25.3 (41.0) MB, 1.23 / 0.00 ms`; newer V8 writes `pooled: 0 MB,` before the times. */
const COLLECTION =
  /(?<kind>Scavenge|Mark-Compact).*? [\d.]+ \([\d.]+\) -> (?<afterMb>[\d.]+) \([\d.]+\) MB, (?:.*?)(?<ms>[\d.]+) \/ [\d.]+ ms/;

/** Sums up the collections in a log. The first scavenge after a mark-compact, which shrinks the heap, counts no growth. */
export function collectionsIn(log: string): Collections {
  const sum = { ms: 0, promotedMb: 0 };
  let lastMb = Number.POSITIVE_INFINITY;
  for (const line of log.split('\n')) {
    const { kind, afterMb, ms } = COLLECTION.exec(line)?.groups ?? {};
    if (!kind) continue;
    sum.ms += Number(ms);
    if (kind === 'Scavenge') sum.promotedMb += Math.max(0, Number(afterMb) - lastMb);
    lastMb = kind === 'Scavenge' ? Number(afterMb) : Number.POSITIVE_INFINITY;
  }
  return sum;
}
