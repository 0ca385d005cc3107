/** Every declared table and log: who looks for columns of a kind reads this, as `ops rekey` does. A test finds one that is missing. */
import { accountProfiles, defaultAccounts } from './accounts/account-profile-table.ts';
import { inboundTransfers } from './accounts/inbound-transfer-table.ts';
import { idempotencyKeys } from './idempotency/idempotency-table.ts';
import { accounts } from './ledger/account-table.ts';
import { holdSteps, holds } from './ledger/hold-table.ts';
import { entries, entryTexts, events, postings } from './ledger/journal-tables.ts';
import { metadataIndex } from './ledger/metadata-store.ts';
import { personalTexts } from './ledger/personal-text-table.ts';
import { erasures } from './operations/erasure-table.ts';
import { exceptions } from './payouts/exception-store.ts';
import { payoutReturns, railAnswers } from './payouts/payout-children-tables.ts';
import { payouts } from './payouts/payout-table.ts';
import { payoutResolutions } from './payouts/resolution-store.ts';
import { webhookEndpoints } from './webhooks/endpoint-table.ts';

export const DECLARED_TABLES = [
  accounts,
  holds,
  idempotencyKeys,
  accountProfiles,
  defaultAccounts,
  payouts,
  payoutReturns,
  railAnswers,
  payoutResolutions,
  exceptions,
  webhookEndpoints,
  erasures,
];

export const DECLARED_LOGS = [
  entries,
  postings,
  entryTexts,
  events,
  holdSteps,
  metadataIndex,
  personalTexts,
  inboundTransfers,
];
