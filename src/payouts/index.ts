/** The group of payouts: money that leaves for a destination outside, and what rails say of it. */

import { keyedByUuid } from '../db/keyed-table.ts';
import { APPENDS, rightsOf } from '../db/table-rights.ts';
import type { Group } from '../group/group.ts';
import type { GroupResource } from '../group/group-resource.ts';
import { sweepNotices } from '../outside/sweep-inboxes.ts';
import { payoutCheck, payoutEquation } from './payout/checks/payout-check.ts';
import { movedPayouts } from './payout/moved-payouts.ts';
import { payoutGauges } from './payout/payout-gauges.ts';
import { payouts } from './payout/payout-table.ts';
import { payoutsInFlight } from './payout/payouts-in-flight.ts';
import { payoutResolutions, readOperatorReason } from './resolution/resolution-store.ts';
import { payoutReturnCheck, payoutReturnEquation } from './returns/checks/payout-return-check.ts';
import { payoutReturns } from './returns/payout-return-table.ts';

/** The folders of the group, in the order in which they may see each other (.dependency-cruiser.cjs). */
export const NOUNS = ['destinations', 'payout', 'returns', 'outcomes', 'resolution', 'notices'] as const;

export const declaredPayout: GroupResource = {
  name: 'payout',
  table: keyedByUuid(payouts.name, 'id'),
  parent: null,
  events: ['payout.created', 'payout.processing', 'payout.paid', 'payout.failed', 'payout.canceled', 'payout.returned'],
  appointments: [],
  operatorReason: readOperatorReason,
};

export const payoutsGroup: Group = {
  name: 'payouts',
  resources: [
    declaredPayout,
    {
      name: 'payout_return',
      table: keyedByUuid(payoutReturns.name, 'id'),
      parent: 'payout',
      events: [],
      appointments: [],
    },
  ],
  tables: [payouts, payoutReturns, payoutResolutions],
  rights: {
    payouts: rightsOf(payouts, ['stuck_at', 'stuck_error']),
    payout_returns: APPENDS,
    payout_resolutions: rightsOf(payoutResolutions),
  },
  moved: [movedPayouts],
  checks: [payoutCheck, payoutReturnCheck],
  equations: [payoutEquation, payoutReturnEquation],
  sweeps: (context) =>
    sweepNotices(context, { parties: () => context.rails.all(), pool: 'rails', job: 'rail.notices' }),
  blocksClosing: [payoutsInFlight],
  gauges: payoutGauges,
};
