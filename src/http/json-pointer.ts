/** JSON pointers (RFC 6901): where in a body something stands. */

export type PathSegment = string | number;

/** `['metadata', 'a/b']` is `/metadata/a~1b`; the whole body is the empty text. */
export function jsonPointer(path: readonly PropertyKey[]): string {
  let pointer = '';
  for (const segment of path) pointer += `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return pointer;
}
