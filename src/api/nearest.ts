/** The name that a misspelled one probably means: what answers to an unknown parameter, event or path suggest. */

/** A longer name is not compared: the time of a comparison grows with the square of the length. */
const COMPARED_MAX = 100;

/**
 * The name that is reached by the fewest edits; undefined where none is near. Letters are compared without their case. An edit adds,
 * drops or replaces a character, or swaps two neighbours. A third of a name may be edited, and of a short one a single character.
 */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  return nearestBy(known, (name) => editsWithin(given, name, Math.max(1, Math.floor(name.length / 3))));
}

/** The suggestion at the end of a refusal, with a space before it. Empty where none of the known names is near. */
export function didYouMean(given: string, known: readonly string[]): string {
  const nearest = nearestName(given, known);
  return nearest === undefined ? '' : ` Did you mean ${nearest}?`;
}

/** The item with the fewest edits, the first of several. `editsOf` is undefined for an item that is too far. */
export function nearestBy<Item>(items: readonly Item[], editsOf: (item: Item) => number | undefined): Item | undefined {
  let nearest: Item | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const item of items) {
    const edits = editsOf(item);
    if (edits === undefined || edits >= least) continue;
    nearest = item;
    least = edits;
  }
  return nearest;
}

/** The edits from one text to another (optimal string alignment); undefined for more than `most`. */
export function editsWithin(one: string, other: string, most: number): number | undefined {
  if (Math.max(one.length, other.length) > COMPARED_MAX || Math.abs(one.length - other.length) > most) return undefined;
  const a = one.toLowerCase();
  const b = other.toLowerCase();
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = last[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1);
      let edits = Math.min(replaced, last[column]! + 1, current[column - 1]! + 1);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
        edits = Math.min(edits, beforeLast[column - 2]! + 1);
      current.push(edits);
    }
    // Edits never become fewer, unless two neighbours are swapped across the rows.
    if (Math.min(...current, ...last) > most) return undefined;
    beforeLast = last;
    last = current;
  }
  const edits = last[b.length]!;
  return edits > most ? undefined : edits;
}
