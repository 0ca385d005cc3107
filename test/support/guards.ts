/** The guards of a decision as a table, in the order in which the decision looks. */

export interface Guard<Asked, Answer> {
  readonly guard: string;
  /** Makes this guard fire and no other, by as little as it takes. */
  readonly wrong: (asked: Asked) => void;
  readonly answer: Answer;
}

/** Two cases for each guard: nothing else is wrong, and all that is behind it is wrong as well. */
export function casesOf<Asked, Answer>(
  guards: readonly Guard<Asked, Answer>[],
): (Guard<Asked, Answer> & { readonly beside: string })[] {
  return guards.flatMap((row, at) => {
    // What an earlier guard needs is set last: two guards may look at one status.
    const all = guards.slice(at).reverse();
    const wrong = (asked: Asked) => {
      for (const one of all) one.wrong(asked);
    };
    return [
      { ...row, beside: 'nothing' },
      { ...row, wrong, beside: 'all that is behind it' },
    ];
  });
}
