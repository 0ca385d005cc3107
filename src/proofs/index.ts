/** The group of checkpoints and proofs. The signer adds to their tables (db/grants.ts); everybody else reads them. */
import { READS } from '../db/table-rights.ts';
import type { Group } from '../group/group.ts';

export const proofsGroup: Group = {
  name: 'proofs',
  resources: [],
  tables: [],
  rights: { checkpoints: READS, tree_nodes: READS },
  moved: [],
  checks: [],
  blocksClosing: [],
  gauges: [],
};
