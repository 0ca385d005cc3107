import { isPossiblePhoneNumber } from 'libphonenumber-js';
import { z } from 'zod';
import { aliasUpTo, TEXT_LIMITS } from '../../../api/schemas/fields.ts';
import type { ErrorCode } from '../../../errors/errors.ts';
import type { WalletInput } from '../wallet.ts';

export const walletRequest = z
  .strictObject({
    type: z.literal('wallet'),
    wallet_id: aliasUpTo(
      TEXT_LIMITS.alias,
      'The id of the wallet: this or `phone`. Kept encrypted, shown masked. In test mode the magic aliases of `cliq` are magic here too.',
    ).optional(),
    phone: z
      .string()
      .refine(
        (text) => /^\+[1-9][0-9]{6,14}$/.test(text) && isPossiblePhoneNumber(text),
        'Expects a phone number in the form of E.164 that its country can have, such as +962791234567.',
      )
      .optional()
      .meta({
        description:
          'E.164: this or `wallet_id`. Kept encrypted, shown masked. In test mode `+962700000001` has the outcome of the first magic alias of `cliq`, `…02` that of the second, and so on.',
        example: '+962791234567',
      }),
    provider: aliasUpTo(TEXT_LIMITS.provider, 'Which wallet, where the payee has several.').nullish(),
  })
  .check(({ value: { wallet_id: walletId, phone }, issues }) => {
    const input = undefined;
    if (walletId === undefined && phone === undefined) {
      const params = { fieldError: 'parameter_missing' satisfies ErrorCode };
      issues.push({ code: 'custom', input, path: ['wallet_id'], message: 'Give `wallet_id` or `phone`.', params });
    } else if (walletId !== undefined && phone !== undefined)
      issues.push({ code: 'custom', input, path: ['phone'], message: 'Expects `wallet_id` or `phone`, not both.' });
  })
  .meta({
    id: 'WalletDestinationInput',
    description: 'Mobile wallet: by its id or by its phone.',
    example: { type: 'wallet', wallet_id: 'jo-wallet-77', provider: 'zain' },
  });

export const walletShown = z
  .object({
    type: z.literal('wallet'),
    wallet_id_masked: z.string().nullable().meta({ description: 'Null where the wallet is named by its phone.' }),
    phone_masked: z
      .string()
      .nullable()
      .meta({ description: 'Null where the wallet is named by its id.', example: '+**********67' }),
    provider: z.string().nullable().meta({ description: 'As it was asked for; null where it was not.' }),
  })
  .meta({ id: 'WalletDestination', description: 'A mobile wallet, masked.' });

export const walletClear = z
  .object({
    type: z.literal('wallet'),
    wallet_id: z.string().nullable().meta({ description: 'Null where the wallet is named by its phone.' }),
    phone: z.string().nullable().meta({ description: 'Null where the wallet is named by its id.' }),
    provider: z.string().nullable().meta({ description: 'As it was asked for; null where it was not.' }),
  })
  .meta({ id: 'WalletDestinationInClear', description: 'A mobile wallet.' });

export function walletInputOf({ wallet_id: walletId, ...input }: z.output<typeof walletRequest>): WalletInput {
  return { ...input, walletId };
}
