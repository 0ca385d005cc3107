/** Counts what a message changes of what its purchase uses up: in the counters of line, account and book, and in those of limits with a filter. */
import { type WindowStarts, windowStartsOf } from '../../calendar/counting-windows.ts';
import { SCOPES } from '../../cards/controls/controls.ts';
import { hasOwnCounter, isFor, type Limit } from '../../cards/controls/controls-content.ts';
import { controlsInForce } from '../../cards/controls/controls-table.ts';
import { countChange, newCounter } from '../../cards/counters/counter.ts';
import { type CountedOf, counters, limitCounterId, storedCounter } from '../../cards/counters/counter-table.ts';
import { countsSince, NO_USAGE, type Usage } from '../../cards/counters/usage.ts';
import type { PurchaseFacts } from '../../cards/purchase/purchase-facts.ts';
import type { Instant } from '../../values/clock.ts';
import { subjectsOf } from './purchase-scope.ts';
import type { Scene } from './scene.ts';

/** What of a purchase counts, and as what. */
export interface Counting {
  readonly facts: PurchaseFacts;
  readonly usage: Usage;
}

export interface CountedChange {
  readonly before: Counting;
  readonly after: Counting;
  readonly firstUsedAt: Instant | null;
}

export function countUsage(scene: Scene, change: CountedChange): void {
  const { draft, scope, program, begun } = scene;
  const { currency, counterIds } = scope.card;
  const { before, after, firstUsedAt } = change;
  if (isSame(before, after)) return;
  const subjects = subjectsOf(scope);
  const countsIn = firstUsedAt === null ? null : windowStartsOf(firstUsedAt, program.timeZone);
  for (const name of SCOPES) {
    const subjectId = subjects[name];
    const of = { id: counterIds[name], subjectId, controlsId: null, place: null, currency };
    count(scene, of, { before: before.usage, after: after.usage, countsIn });
    const inForce = draft.get(controlsInForce, subjectId);
    for (const version of [inForce?.active ?? null, inForce?.shadow ?? null]) {
      if (version === null || !countsSince(version, begun)) continue;
      for (const [place, limit] of version.content.limits.entries()) {
        if (!hasOwnCounter(limit)) continue;
        const own = {
          id: limitCounterId(version.id, place, currency),
          subjectId,
          controlsId: version.id,
          place,
          currency,
        };
        count(scene, own, { before: usageFor(limit, before), after: usageFor(limit, after), countsIn });
      }
    }
  }
}

function usageFor(limit: Limit, { facts, usage }: Counting): Usage {
  return isFor(limit, facts) ? usage : NO_USAGE;
}

function count(
  { draft, windows }: Scene,
  of: CountedOf,
  change: { before: Usage; after: Usage; countsIn: WindowStarts | null },
): void {
  if (isSameUsage(change.before, change.after)) return;
  const counter = draft.get(counters, of.id) ?? newCounter(windows);
  draft.put(counters, of.id, storedCounter(of, countChange(counter, change, windows)));
}

function isSame(one: Counting, other: Counting): boolean {
  const { facts } = other;
  const isSameFacts = one.facts.kind === facts.kind && one.facts.entryMode === facts.entryMode;
  return isSameFacts && isSameUsage(one.usage, other.usage);
}

function isSameUsage(one: Usage, other: Usage): boolean {
  return one.amount === other.amount && one.refunded === other.refunded;
}
