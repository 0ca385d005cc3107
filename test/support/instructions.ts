/** What rails are told in tests. */
import type { InstructedDestination } from '../../src/rails/rail.ts';

export function toAlias(alias: string): { destination: InstructedDestination; account: null } {
  return { destination: { type: 'cliq', alias, provider: null }, account: null };
}
