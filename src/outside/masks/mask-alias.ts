/**
 * First character and last two; short aliases show only the first. Masked in ASCII, which bank files and old
 * spreadsheets accept, and which keeps the texts of a payout at one byte a character in this process.
 */
export function maskAlias(alias: string): string {
  const characters = [...alias];
  if (characters.length <= 3) return `${characters[0] ?? ''}${'*'.repeat(Math.max(characters.length - 1, 0))}`;
  return `${characters[0]}${'*'.repeat(characters.length - 3)}${characters.slice(-2).join('')}`;
}
