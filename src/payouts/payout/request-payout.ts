/** What a request for a payout becomes: its account found, its fee worked out, its destination sealed, its rail chosen. */

import { defaultAccounts } from '../../accounts/account-profile-table.ts';
import type { Config } from '../../config.ts';
import type { Pool } from '../../db/pool.ts';
import type { SecretBox } from '../../db/secret-box.ts';
import { feeOf, proportionalFee } from '../../fees/fee-schedule.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import type { Mode } from '../../ledger/book.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import type { FeeSetting } from '../destinations/destination.ts';
import { DESTINATIONS, type DestinationInput, sealDestination } from '../destinations/destinations.ts';
import { acceptPayout } from './accept-payout.ts';

export interface PayoutRuntime extends OnceRuntime {
  config: Pick<Config, FeeSetting>;
  pool: Pool;
  secretBox: SecretBox;
}

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
    const { rails, feeSetting } = DESTINATIONS[input.destination.type];
    const payoutId = newId();
    const command = acceptPayout({
      payoutId,
      bookId: input.bookId,
      accountId,
      amount: input.amount,
      fee: feeOf(input.amount, proportionalFee(BigInt(runtime.config[feeSetting]))),
      currency: input.currency,
      destination: sealDestination(runtime.secretBox, input.destination, { bookId: input.bookId, payoutId }),
      rail: rails[input.mode] ?? null,
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
