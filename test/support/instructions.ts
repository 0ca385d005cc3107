/** What rails are told in tests. */
import type { InstructedDestination } from '../../src/rails/rail.ts';

export function toAlias(alias: string): { destination: InstructedDestination } {
  return { destination: { type: 'cliq', alias, provider: null } };
}
