/** A mobile wallet, by its own id or by its phone. */
import { maskAlias } from '../../outside/masks/mask-alias.ts';
import type { InstructedWallet } from '../../rails/rail.ts';
import type { OutsideDestinationType } from './destination.ts';

/** One of `walletId` and `phone`. */
export interface WalletInput {
  readonly type: 'wallet';
  readonly walletId?: string | null | undefined;
  /** E.164. */
  readonly phone?: string | null | undefined;
  readonly provider?: string | null | undefined;
}

export const wallet: OutsideDestinationType<WalletInput, InstructedWallet> = {
  type: 'wallet',
  feeSetting: 'PAYOUT_FEE_WALLET_BASIS_POINTS',
  instruct: ({ walletId, phone, provider }) => ({
    type: 'wallet',
    walletId: walletId ?? null,
    phone: phone ?? null,
    provider: provider ?? null,
  }),
  shown: ({ walletId, phone, provider }) => ({
    masked: maskAlias(walletId ?? phone ?? ''),
    provider: provider ?? null,
    details: { by: walletId ? 'wallet_id' : 'phone' },
  }),
  write: ({ walletId, phone }) => JSON.stringify({ walletId, phone }),
  read: (text, { provider }) => ({
    type: 'wallet',
    ...(JSON.parse(text) as Pick<InstructedWallet, 'walletId' | 'phone'>),
    provider,
  }),
  view: ({ masked, provider, details }) => ({
    type: 'wallet',
    wallet_id_masked: details!.by === 'wallet_id' ? masked : null,
    phone_masked: details!.by === 'phone' ? masked : null,
    provider,
  }),
  payee: ({ walletId, phone }) => walletId ?? phone ?? '',
};
