/** Replaces members of JSON text with null: every other byte stays as it was sent and hashed. */
import { endOfString, endOfValue } from '../values/json.ts';

/** Paths at which an answer or an event may show an object: the answer itself, an event's object, its previous attributes. */
const PLACES: readonly string[] = ['', 'data.object', 'data.previous_attributes'];

/**
 * The text with null in place of these members of an object, be it an answer or in an event. Members that are null or an
 * empty object stay as they are. `text` is JSON as json.ts writes it, without white space.
 */
export function nullMembers(text: string, members: ReadonlySet<string>): string {
  let erased = '';
  let copied = 0;
  /** The path to the current object: names, undefined for an array. */
  const path: (string | undefined)[] = [];
  let name: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === '{' || character === '[') {
      path.push(character === '[' ? undefined : name);
      name = undefined;
    } else if (character === '}' || character === ']') {
      path.pop();
      name = undefined;
    } else if (character === '"') {
      const end = endOfString(text, at);
      // A string that a colon follows is a name.
      if (text[end + 1] === ':') {
        name = JSON.parse(text.slice(at, end + 1)) as string;
        const from = end + 2;
        if (members.has(name) && PLACES.includes(path.slice(1).join('.'))) {
          const to = endOfValue(text, from);
          const value = text.slice(from, to);
          if (value !== 'null' && value !== '{}') {
            erased += `${text.slice(copied, from)}null`;
            copied = to;
          }
          at = to - 1;
        } else at = from - 1;
      } else at = end;
    }
  }
  return copied === 0 ? text : erased + text.slice(copied);
}
