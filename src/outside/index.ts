/**
 * The group of external parties: the evidence of their answers, and the inbox of their notices. It has no resources of
 * its own.
 */
import { changes, deletable } from '../db/table-rights.ts';
import type { Group } from '../group/group.ts';
import { evidence } from './evidence/evidence.ts';
import { noticeCheck } from './notices/checks/notice-check.ts';
import { movedNotices } from './notices/moved-notices.ts';
import { pruneNotices } from './notices/prune-notices.ts';

/** The folders of the group, in the order in which they may see each other (.dependency-cruiser.cjs). */
export const NOUNS = [
  'masks',
  'credits',
  'party',
  'calls',
  'instructions',
  'evidence',
  'connections',
  'questions',
  'notices',
  'gateway',
  'sandboxes',
] as const;

export const outsideGroup: Group = {
  name: 'outside',
  resources: [],
  tables: [evidence],
  rights: {
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
    partner_notices: deletable(changes('acknowledged_at', 'body')),
    foreign_notices: changes('settled_at', 'settled_by', 'settled_reason'),
  },
  moved: [movedNotices],
  checks: [noticeCheck],
  blocksClosing: [],
  gauges: [],
  sweeps: pruneNotices,
};
