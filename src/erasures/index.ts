/** The group of erasures: whose personal text was erased, and by whom. The owner's role writes them (operations/erase.ts). */
import { READS } from '../db/table-rights.ts';
import type { Group } from '../group/group.ts';
import { erasures } from './erasure-table.ts';

export const erasuresGroup: Group = {
  name: 'erasures',
  resources: [],
  tables: [erasures],
  rights: { erasures: READS },
  moved: [],
  checks: [],
  blocksClosing: [],
  gauges: [],
  events: ['personal_data.erased'],
};
