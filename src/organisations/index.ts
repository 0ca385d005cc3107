/** The group of organisations: who has books, and the keys to them. */
import { changes } from '../db/table-rights.ts';
import type { Group } from '../group/group.ts';
import { apiKeyResource } from './api-key-resource.ts';

export const organisationsGroup: Group = {
  name: 'organisations',
  resources: [apiKeyResource],
  tables: [],
  rights: {
    // Names are unique: the table is locked while one is added (organisation-store.ts).
    organisations: { reads: true, inserts: true, updates: 'all' },
    people: changes('ended_at'),
    api_keys: changes('owner_id', 'owner_kind', 'revoked_at', 'expires_at', 'last_used_at', 'version', 'updated_at'),
  },
  moved: [],
  checks: [],
  blocksClosing: [],
  gauges: [],
};
