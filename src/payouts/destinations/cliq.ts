/** Short-alias instant payments. */
import type { InstructedCliq } from '../../rails/rail.ts';
import type { OutsideDestinationType } from '../destination.ts';

export interface CliqInput {
  readonly type: 'cliq';
  readonly alias: string;
  readonly provider?: string | null | undefined;
}

export const cliq: OutsideDestinationType<CliqInput, InstructedCliq> = {
  type: 'cliq',
  rails: { test: 'sandbox', live: undefined },
  feeSetting: 'PAYOUT_FEE_CLIQ_BASIS_POINTS',
  seal: ({ alias, provider }, seal) => ({
    type: 'cliq',
    sealed: seal(alias),
    masked: maskAlias(alias),
    provider: provider ?? null,
  }),
  view: ({ masked, provider }) => ({ type: 'cliq', alias_masked: masked, provider }),
  instruct: ({ sealed, provider }, open) => ({ type: 'cliq', alias: open(sealed), provider }),
  payee: ({ alias }) => alias,
};

/**
 * First character and last two; short aliases show only the first. Masked in ASCII, which bank files and old spreadsheets
 * take as well, and which keeps the texts of a payout at one byte a character in this process.
 */
export function maskAlias(alias: string): string {
  const characters = [...alias];
  if (characters.length <= 3) return `${characters[0] ?? ''}${'*'.repeat(Math.max(characters.length - 1, 0))}`;
  return `${characters[0]}${'*'.repeat(characters.length - 3)}${characters.slice(-2).join('')}`;
}
