/** The group of payouts: money that leaves for a destination outside, and what rails say of it. */

import { keyedByUuid } from '../db/keyed-table.ts';
import { APPENDS, changes, deletable, rightsOf } from '../db/table-rights.ts';
import type { Group } from '../group.ts';
import type { GroupResource } from '../group-resource.ts';
import { noticeCheck } from './checks/notice-check.ts';
import { payoutCheck } from './checks/payout-check.ts';
import { movedNotices, movedPayouts } from './moved-payouts.ts';
import { payoutReturns, railAnswers } from './payout-children-tables.ts';
import { payoutGauges } from './payout-gauges.ts';
import { payouts } from './payout-table.ts';
import { payoutsInFlight } from './payouts-in-flight.ts';
import { pruneNotices } from './prune-notices.ts';
import { payoutResolutions, readOperatorReason } from './resolution-store.ts';
import { sweepNotices } from './sweep-inboxes.ts';

export const declaredPayout: GroupResource = {
  name: 'payout',
  table: keyedByUuid(payouts.name, 'id'),
  events: ['payout.created', 'payout.processing', 'payout.paid', 'payout.failed', 'payout.canceled', 'payout.returned'],
  operatorReason: readOperatorReason,
};

export const payoutsGroup: Group = {
  name: 'payouts',
  resources: [
    declaredPayout,
    { name: 'payout_return', table: keyedByUuid(payoutReturns.name, 'id'), parent: 'payout', events: [] },
  ],
  tables: [payouts, payoutReturns, railAnswers, payoutResolutions],
  rights: {
    payouts: rightsOf(payouts, ['stuck_at', 'stuck_error']),
    payout_returns: APPENDS,
    rail_answers: APPENDS,
    payout_resolutions: rightsOf(payoutResolutions),
    rail_notices: deletable(
      changes(
        'status',
        'attempts',
        'next_attempt_at',
        'due_at',
        'stuck_at',
        'stuck_error',
        'updated_at',
        'confirmed_payee_sealed',
      ),
    ),
    foreign_notices: changes('settled_at', 'settled_by', 'settled_reason'),
  },
  moved: [movedPayouts, movedNotices],
  checks: [payoutCheck, noticeCheck],
  sweeps: (context) => [...sweepNotices(context), ...pruneNotices(context)],
  blocksClosing: [payoutsInFlight],
  gauges: payoutGauges,
};
