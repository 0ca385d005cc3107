/** The group of payouts: money that leaves for a destination outside, and the reports of rails about it. */

import { APPENDS, deletable, rightsOf } from '../db/table-rights.ts';
import type { Group } from '../group/group.ts';
import { sweepNotices } from '../outside/notices/sweep-inboxes.ts';
import { batchItems, payoutUploads } from './batches/batch-item-table.ts';
import { payoutBatchResource } from './batches/batch-resource.ts';
import { batchContents } from './batches/batch-table.ts';
import { batchCheck } from './batches/checks/batch-check.ts';
import { movedBatches } from './batches/moved-batches.ts';
import { payoutBatchesOpen } from './batches/payout-batches-open.ts';
import { batchRelease } from './batches/release-scheduled.ts';
import { sweepUploads } from './batches/sweep-uploads.ts';
import { uploadErrors } from './batches/upload-error-table.ts';
import { sweepUploadErrors } from './batches/upload-errors.ts';
import { destinationReads } from './disclosures/destination-read-table.ts';
import { payoutCounterCheck } from './limits/checks/payout-counter-check.ts';
import { payoutCounters } from './limits/payout-counter-table.ts';
import { pauseGauge } from './pauses/pause-gauge.ts';
import { payeeResource } from './payees/payee-resource.ts';
import { payoutCheck, payoutEquation } from './payout/checks/payout-check.ts';
import { movedPayouts } from './payout/moved-payouts.ts';
import { payoutGauges } from './payout/payout-gauges.ts';
import { payoutResource } from './payout/payout-resource.ts';
import { payouts } from './payout/payout-table.ts';
import { payoutsInFlight } from './payout/payouts-in-flight.ts';
import { payoutRelease } from './payout/release-payouts.ts';
import { countUnknownIn } from './payout/unresolved-store.ts';
import { POLICY_EVENTS } from './policies/approval-policy.ts';
import { approvalPolicies } from './policies/approval-policy-table.ts';
import { payoutResolutions } from './resolution/resolution-store.ts';
import { payoutReturnCheck, payoutReturnEquation } from './returns/checks/payout-return-check.ts';
import { payoutReturnResource } from './returns/payout-return-resource.ts';
import { payoutsAtBank } from './returns/payouts-at-bank.ts';

/** The folders of the group, in the order in which they may see each other (.dependency-cruiser.cjs). */
export const NOUNS = [
  'destinations',
  'routing',
  'limits',
  'policies',
  'pauses',
  'payees',
  'payout',
  'batches',
  'returns',
  'outcomes',
  'resolution',
  'notices',
  'disclosures',
] as const;

export const payoutsGroup: Group = {
  name: 'payouts',
  resources: [payeeResource, payoutResource, payoutBatchResource, payoutReturnResource],
  tables: [
    payoutResolutions,
    approvalPolicies,
    payoutCounters,
    destinationReads,
    batchItems,
    batchContents,
    payoutUploads,
    uploadErrors,
  ],
  rights: {
    // Beside what commands write: the marks of workers.
    payouts: rightsOf(payouts, ['stuck_at', 'stuck_error', 'paused_at']),
    // Pages of an upload that made no batch are deleted.
    payout_batch_items: deletable(rightsOf(batchItems)),
    payout_uploads: deletable(rightsOf(payoutUploads)),
    payout_upload_errors: deletable(rightsOf(uploadErrors)),
    pauses: deletable(APPENDS),
    rail_settings: APPENDS,
  },
  events: POLICY_EVENTS,
  appointments: [payoutRelease, batchRelease],
  moved: [movedPayouts, movedBatches],
  checks: [payoutCounterCheck, payoutCheck, batchCheck, payoutReturnCheck],
  equations: [payoutEquation, payoutReturnEquation],
  sweeps: (context) => [
    ...sweepNotices(context, { parties: () => context.rails.all(), pool: 'rails', job: 'rail.notices' }),
    sweepUploads(context),
    sweepUploadErrors(context),
  ],
  blocksClosing: [payoutsInFlight, payoutBatchesOpen],
  atBank: [payoutsAtBank],
  gauges: [...payoutGauges, pauseGauge],
  leftOpen: [{ type: 'payouts_unknown', count: countUnknownIn }],
};
