/** What a request for a payout becomes: its account found, its fee worked out, its alias sealed, its rail chosen. */

import { defaultAccounts } from '../accounts/account-profile-table.ts';
import type { Config } from '../config.ts';
import type { Pool } from '../db/pool.ts';
import type { SecretBox } from '../db/secret-box.ts';
import { feeOf, proportionalFee } from '../fees/fee-schedule.ts';
import type { OnceRuntime } from '../idempotency/run-once.ts';
import type { Asked, UseCase } from '../idempotency/use-case.ts';
import { newId, type Uuid } from '../ids.ts';
import type { Mode } from '../ledger/book.ts';
import { acceptPayout } from './accept-payout.ts';
import { aliasPlace, type Destination, maskAlias } from './payout.ts';

export interface PayoutRuntime extends OnceRuntime {
  config: Pick<Config, 'PAYOUT_FEE_CLIQ_BASIS_POINTS' | 'PAYOUT_FEE_ACCOUNT_BASIS_POINTS'>;
  pool: Pool;
  secretBox: SecretBox;
  /** Name of the rail for a destination, undefined where none is configured. */
  railFor(mode: Mode, destinationType: string): string | undefined;
}

export type DestinationInput =
  | { type: 'cliq'; alias: string; provider?: string | null }
  | { type: 'account'; accountId: Uuid };

export interface PayoutInput extends Asked {
  mode: Mode;
  amount: bigint;
  currency: string;
  destination: DestinationInput;
  accountId?: Uuid;
  description?: string | null;
  externalId?: string | null;
  metadata?: Record<string, string>;
}

export const requestPayout: UseCase<PayoutRuntime, PayoutInput> = {
  async prepare(runtime, input) {
    const accountId =
      input.accountId ?? (await defaultAccounts.find(runtime.pool, input.bookId, input.currency))?.accountId ?? null;
    const payoutId = newId();
    const command = acceptPayout({
      payoutId,
      bookId: input.bookId,
      accountId,
      amount: input.amount,
      fee: feeOf(input.amount, proportionalFee(BigInt(basisPoints(runtime, input.destination.type)))),
      currency: input.currency,
      destination: sealDestination(runtime.secretBox, input, payoutId),
      rail: runtime.railFor(input.mode, input.destination.type) ?? null,
      description: input.description ?? null,
      externalId: input.externalId ?? null,
      metadata: input.metadata ?? {},
      // A dry run needs no key. Its end-to-end id belongs to no payout.
      idempotencyKey: input.idempotencyKey ?? input.requestId,
      requestId: input.requestId,
      actor: input.actor,
      dryRun: input.dryRun ?? false,
    });
    return { command };
  },
};

function basisPoints(runtime: PayoutRuntime, type: DestinationInput['type']): number {
  return type === 'cliq' ? runtime.config.PAYOUT_FEE_CLIQ_BASIS_POINTS : runtime.config.PAYOUT_FEE_ACCOUNT_BASIS_POINTS;
}

function sealDestination(
  secretBox: SecretBox,
  { bookId, destination }: Pick<PayoutInput, 'bookId' | 'destination'>,
  payoutId: Uuid,
): Destination {
  if (destination.type === 'account') return destination;
  return {
    type: 'cliq',
    aliasSealed: secretBox.seal(destination.alias, aliasPlace(bookId, payoutId)),
    aliasMasked: maskAlias(destination.alias),
    provider: destination.provider ?? null,
  };
}
