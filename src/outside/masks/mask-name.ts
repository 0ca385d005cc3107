/** Of each word its first character: enough to distinguish the members of a family. */
export function maskName(name: string): string {
  const words = name.split(/\s+/u).filter((word) => word !== '');
  return words.map((word) => `${[...word][0]}***`).join(' ');
}
