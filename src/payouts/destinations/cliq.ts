/** Short-alias instant payments. */
import { maskAlias } from '../../outside/masks/mask-alias.ts';
import type { InstructedCliq } from '../../rails/rail.ts';
import type { OutsideDestinationType } from './destination.ts';

export interface CliqInput {
  readonly type: 'cliq';
  readonly alias: string;
  readonly provider?: string | null | undefined;
  /** Of an earlier `resolve`: the payout goes to the account that was found then, or to none. */
  readonly resolution?: string | null | undefined;
}

export const cliq: OutsideDestinationType<CliqInput, InstructedCliq> = {
  type: 'cliq',
  feeSetting: 'PAYOUT_FEE_CLIQ_BASIS_POINTS',
  instruct: ({ alias, provider }) => ({ type: 'cliq', alias, provider: provider ?? null }),
  shown: ({ alias, provider }) => ({ masked: maskAlias(alias), provider: provider ?? null, details: null }),
  write: ({ alias }) => alias,
  read: (alias, { provider }) => ({ type: 'cliq', alias, provider }),
  view: ({ masked, provider }) => ({ type: 'cliq', alias_masked: masked, provider }),
  payee: ({ alias }) => alias,
};
