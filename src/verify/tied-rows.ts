/** The row checks of groups with the equations that their rows are part of. */
import { checkEquation, type Equation } from '../group/equation.ts';
import type { Group } from '../group/group.ts';
import type { RowCheck } from '../group/row-check.ts';
import type { AccountCode } from '../ledger/account/account-code.ts';

/** Each check of a group, with the equations of its rows. Rows of an equation are read once, whichever check reads them too. */
export function rowChecksOf({ checks, equations = [] }: Group): RowCheck[] {
  const all = new Set<RowCheck>([...checks, ...equations.map(({ rows }) => rows)]);
  return [...all].map((rows) =>
    withEquations(
      rows,
      equations.filter((equation) => equation.rows === rows),
    ),
  );
}

function withEquations(rows: RowCheck, equations: readonly Equation[]): RowCheck {
  if (equations.length === 0) return rows;
  return {
    ...rows,
    check(context, row) {
      rows.check(context, row);
      for (const equation of equations) checkEquation(context, equation, row);
    },
  };
}

/** By resource, the accounts of the chart in its equations. */
export function tiedCodes(groups: readonly Group[]): Map<string, Set<AccountCode>> {
  const tied = new Map<string, Set<AccountCode>>();
  for (const { resources, codes } of groups.flatMap(({ equations = [] }) => equations))
    for (const resource of resources) tied.set(resource, new Set([...(tied.get(resource) ?? []), ...codes]));
  return tied;
}
