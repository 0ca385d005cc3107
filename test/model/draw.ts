/** Random actions of all parts, and the requests made from them. */
import fc from 'fast-check';
import type { AnyKind, Request } from './part.ts';
import { PARTS } from './parts.ts';
import type { ReferenceBook } from './reference-book.ts';

/** What was drawn for a request of a kind. */
export interface Action {
  readonly do: string;
  /** A number of a small pool: keys collide. */
  readonly key?: number | null;
  readonly [field: string]: unknown;
}

/** Repeats the same command, as after a lost answer, or sends the same request again as a new command. */
export interface Repetition {
  readonly do: 'repeat' | 'again';
  readonly which: number;
}

const KINDS = PARTS.flatMap(({ kinds }) => kinds);

const repetition: fc.Arbitrary<Repetition> = fc.record({
  do: fc.constantFrom('repeat', 'again'),
  which: fc.nat({ max: 30 }),
});

export const anyAction: fc.Arbitrary<Action | Repetition> = fc.oneof(
  ...KINDS.map((one) => ({
    weight: one.weight,
    arbitrary: fc.record({ do: fc.constant(one.do), ...one.draw }) as unknown as fc.Arbitrary<Action>,
  })),
  { weight: 4, arbitrary: repetition },
);

export function isRepetition(action: Action | Repetition): action is Repetition {
  return action.do === 'repeat' || action.do === 'again';
}

export function kindOf(name: string): AnyKind {
  const found = KINDS.find((one) => one.do === name);
  if (!found) throw new Error(`No part has a request ${name}`);
  return found;
}

/** Undefined when no object exists yet that the action could use. */
export function requestOf(book: ReferenceBook, action: Action): Request | undefined {
  const { do: name, key, ...drawn } = action;
  const asked = kindOf(name).ask(book, { ...drawn, key }) as object | undefined;
  if (!asked) return undefined;
  const keyed = key === undefined ? {} : { key: key === null ? null : `key-${key}` };
  return { ...keyed, do: name, ...asked };
}
