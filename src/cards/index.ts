/** The group of cards: what cardholders pay with, what limits them, and how a book's cards work. */
import type { Group } from '../group/group.ts';
import { sweepNotices } from '../outside/notices/sweep-inboxes.ts';
import { cardResource } from './card/card-resource.ts';
import { cardsOpen } from './card/cards-open.ts';
import { cardCheck } from './card/checks/card-check.ts';
import { controlsCheck } from './controls/checks/controls-check.ts';
import { controlsResource } from './controls/controls-resource.ts';
import { controlsInForce } from './controls/controls-table.ts';
import { counters } from './counters/counter-table.ts';
import { detailAccesses } from './details/detail-access-table.ts';
import { cardOperations } from './operations/card-operation-table.ts';
import { movedCardOperations } from './operations/moved-card-operations.ts';
import { PROGRAM_EVENTS } from './program/program.ts';
import { programs } from './program/program-table.ts';
import { cardTokenResource } from './tokens/card-token-resource.ts';

/** The folders of the group, in the order in which they may see each other (.dependency-cruiser.cjs). */
export const NOUNS = [
  'purchase',
  'program',
  'card',
  'controls',
  'counters',
  'tokens',
  'decision',
  'operations',
  'lines',
  'issuing',
  'actions',
  'details',
  'outcomes',
] as const;

export const cardsGroup: Group = {
  name: 'cards',
  resources: [cardResource, controlsResource, cardTokenResource],
  tables: [cardOperations, programs, controlsInForce, counters, detailAccesses],
  events: PROGRAM_EVENTS,
  moved: [movedCardOperations],
  checks: [cardCheck, controlsCheck],
  sweeps: (context) =>
    sweepNotices(context, { parties: () => context.processors.all(), pool: 'payments', job: 'processor.notices' }),
  blocksClosing: [cardsOpen],
  gauges: [],
};
