/** The `previous_attributes` of an event, computed from its object before and after. Pure. */
import { JsonText } from '../../values/json.ts';
import type { ShownMembers } from './event-form.ts';

/** They change with every step, and the event has both elsewhere. */
const LEFT_OUT: readonly string[] = ['version', 'updated_at'];

/** Each attribute of the view that has another value now, with the one it had. */
export function previousAttributes(before: ShownMembers, after: ShownMembers): Record<string, unknown> {
  const previous: Record<string, unknown> = {};
  for (const name in before)
    if (!isSame(before[name], after[name]) && !LEFT_OUT.includes(name)) previous[name] = before[name];
  return previous;
}

/** The members of a change that differ from the row. Undefined without any: the request changes nothing. */
export function differenceFrom<Row extends object>(row: Row, change: Partial<Row>): Partial<Row> | undefined {
  const names = Object.keys(change) as (keyof Row)[];
  const different = names.filter((name) => !isSame(row[name], change[name]));
  if (different.length === 0) return undefined;
  return Object.fromEntries(different.map((name) => [name, change[name]])) as Partial<Row>;
}

/** Whether two values are the same JSON, whatever the order of members. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (one instanceof JsonText || other instanceof JsonText)
    return one instanceof JsonText && other instanceof JsonText && one.text === other.text;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => name in other && isSame((one as ShownMembers)[name], (other as ShownMembers)[name]));
}
