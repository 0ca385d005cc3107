/** Short-alias instant payments. */
import { maskAlias } from '../../outside/mask-alias.ts';
import type { InstructedCliq } from '../../rails/rail.ts';
import type { OutsideDestinationType } from './destination.ts';

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
