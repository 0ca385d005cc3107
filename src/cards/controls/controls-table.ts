/** The versions of controls, and which of a subject's are in force. Versions never change but in their status. */
import { type Codec, column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Controls, ControlsEnforced, InForce, Scope } from './controls.ts';
import type { ControlsContent } from './controls-content.ts';
import { readContent, type StoredContent, storedContent } from './stored-content.ts';

export interface StoredControls extends Controls {
  /** The card that they were made for; they belong to its line. Null in other scopes. */
  readonly cardId: Uuid | null;
  readonly accountId: Uuid | null;
  readonly requestId: Uuid;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

const CONTENT: Codec<ControlsContent> = {
  store: storedContent,
  read: (stored) => readContent(stored as StoredContent),
};

export const cardControls = tableOf<StoredControls>({
  name: 'card_controls',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('id', 'uuid'),
    column('scope', 'code'),
    column('subject_id', 'uuid', { filter: true }),
    column('card_id', 'uuid'),
    column('account_id', 'uuid'),
    column('ordinal', 'integer'),
    column('status', 'code', { changes: true }),
    // Merchants are named as their acquirers name them.
    column('content', 'jsonb', { codec: CONTENT, notPersonal: 'facts', cardNumber: 'exempt' }),
    column('counted_since', 'timestamptz', { changes: true }),
    column('request_id', 'uuid'),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});

/**
 * What is in force for one subject (a line of cards, an account, the book), with its content: an authorization reads one row a scope and
 * nothing else. A subject that never had controls has no row.
 */
export interface ControlsInForce extends InForce {
  readonly subjectId: Uuid;
  readonly scope: Scope;
  /** How many versions the subject has had. */
  readonly versions: number;
}

/** Without the members that the row has for both versions. */
interface StoredVersion {
  readonly id: Uuid;
  readonly ordinal: number;
  readonly content: StoredContent;
  readonly countedSince: Instant | null;
  /** Not in rows of before it was kept. */
  readonly countedBehind?: string;
}

interface InForceRow {
  readonly subject_id: Uuid;
  readonly scope: Scope;
  readonly versions: number;
  readonly active: StoredVersion | null;
  readonly shadow: StoredVersion | null;
}

export const controlsInForce = tableOf<ControlsInForce>({
  name: 'card_controls_in_force',
  key: 'subject_id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('subject_id', 'uuid'),
    column('scope', 'code'),
    column('versions', 'integer', { changes: true }),
    column('active', 'jsonb', ({ active }) => storedVersion(active), {
      notPersonal: 'facts',
      cardNumber: 'exempt',
      changes: true,
    }),
    column('shadow', 'jsonb', ({ shadow }) => storedVersion(shadow), {
      notPersonal: 'facts',
      cardNumber: 'exempt',
      changes: true,
    }),
  ],
  fromRow: (row: InForceRow): ControlsInForce => ({
    subjectId: row.subject_id,
    scope: row.scope,
    versions: row.versions,
    active: readVersion(row, 'active'),
    shadow: readVersion(row, 'shadow'),
  }),
});

function storedVersion(version: ControlsEnforced | null): StoredVersion | null {
  if (version === null) return null;
  const { id, ordinal, content, countedSince, countedBehind } = version;
  const behind = countedBehind !== null && { countedBehind: String(countedBehind) };
  return { id, ordinal, content: storedContent(content), countedSince, ...behind };
}

/** Written out: every authorization reads up to six of them. */
function readVersion(row: InForceRow, status: 'active' | 'shadow'): ControlsEnforced | null {
  const version = row[status];
  if (version === null) return null;
  return {
    id: version.id,
    scope: row.scope,
    subjectId: row.subject_id,
    ordinal: version.ordinal,
    status,
    content: readContent(version.content),
    countedSince: version.countedSince,
    countedBehind: version.countedBehind === undefined ? null : BigInt(version.countedBehind),
  };
}
