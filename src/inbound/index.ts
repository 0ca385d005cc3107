/**
 * The group of money that arrives: references of accounts, credits of banks, to which book the operator gives what names no account,
 * opening balances of customers, and what the operator bears for them.
 */
import { APPENDS, changes } from '../db/table-rights.ts';
import type { Group } from '../group/group.ts';
import { inboundCredits } from '../outside/credits/credit-table.ts';
import { creditCheck } from './credits/checks/credit-check.ts';
import { movedCredits } from './credits/moved-credits.ts';
import { openingCheck } from './openings/checks/opening-check.ts';
import { writeOffCheck } from './write-offs/checks/write-off-check.ts';
import { writeOffs } from './write-offs/write-off-table.ts';

/** The folders of the group, in the order in which they may see each other (.dependency-cruiser.cjs). */
export const NOUNS = ['references', 'credits', 'arrivals', 'allocation', 'openings', 'write-offs'] as const;

export const inboundGroup: Group = {
  name: 'inbound',
  resources: [],
  tables: [inboundCredits, writeOffs],
  rights: { receive_references: APPENDS, opening_files: changes('transfers_from', 'applied_at') },
  moved: [movedCredits],
  checks: [creditCheck, openingCheck, writeOffCheck],
  blocksClosing: [],
  gauges: [],
};
