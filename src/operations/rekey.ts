/**
 * Brings stored values to the current encryption key and the current form. Sealed values are opened and sealed again.
 * Plain fingerprints are keyed without their requests: the key is applied to the stored digest. Works by page and by
 * compare-and-set; only endpoint secrets are written under their book's lock. Each row shows its own form, so that a
 * run continues where an earlier one was killed. Voided keys have no fingerprint and stay as they are.
 */

import type { KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Column } from '../db/declared-columns.ts';
import {
  installationSecretPlace,
  listInstallationSecrets,
  resealInstallationSecret,
} from '../db/installation-store.ts';
import type { Pool } from '../db/pool.ts';
import { classifyFailure } from '../db/postgres-errors.ts';
import { createSecretBox, type SealedPlace, type SecretBox, SecretBoxError, sealedKeyId } from '../db/secret-box.ts';
import { answerSecretPlace, concealedSecret } from '../idempotency/answer-secret.ts';
import { DIGEST_BYTES, keyedFingerprint, readFingerprintKey } from '../idempotency/fingerprints.ts';
import { readFileKeysPage, writeFileKeys } from '../intake/intake-file-store.ts';
import { fileKeyPlace } from '../intake/sealed-file.ts';
import type { DeclaredTable } from '../ledger/rows/table-of.ts';
import { PAYEE_PLACE } from '../outside/notices/notice.ts';
import { SANDBOX_SECRET_PLACE, sandboxNumberPlace } from '../processors/sealed-places.ts';
import { SEALED_OF_BANKS } from '../rails/iso20022/bank-file-store.ts';
import { reportKeyPlace } from '../reports/report/piece-seal.ts';
import { readReportKeysPage, writeReportKeys } from '../reports/report/report-key-store.ts';
import { elsewhere } from '../values/progress.ts';
import { earlierSecretPlace } from '../webhooks/endpoints/endpoint-secret.ts';
import {
  type BankSealed,
  idOfEndpoint,
  type NewValue,
  type RowKey,
  readBanksPage,
  readEarlierSecretsPage,
  readKeysPage,
  readNoticesPage,
  readSandboxPage,
  readSealedPage,
  type SandboxSealed,
  type SealedColumn,
  type StoredKey,
  type StoredValue,
  writeAnswer,
  writeBanks,
  writeEarlierSecrets,
  writeFingerprints,
  writeNotices,
  writeSandbox,
  writeSealed,
  writeSealedOfCommands,
} from './rekey-store.ts';

/**
 * Counted parts: `table.column` of a declared column, or one of the places without a declaration: `installation`,
 * `fingerprints`, `answers` (sealed secrets in stored answers), `earlier_secrets` (of webhook endpoints), `notices`, `intake_files` (keys
 * of kept files), `report_files` (of files of reports), and the tables of the sandbox processor.
 */
export type RekeyPart = string;

/** The parts of a declared table that concern its sealed columns. */
export type SealedTable = Pick<DeclaredTable<never>, 'name' | 'key'> & {
  readonly columns: readonly Pick<Column<never>, 'name' | 'sealed' | 'changes'>[];
};

export interface RekeyCount {
  /** Values found by the last pass. */
  found: number;
  /** Values written, over all passes. */
  changed: number;
  /** Values still in an earlier form or under another key when the last pass ended. */
  remaining: number;
}

export interface RekeyResult {
  counts: Record<RekeyPart, RekeyCount>;
  /** Sealed values by the id of the key that opens them, as the last pass left them. */
  keys: Map<string, number>;
}

export interface RekeyOptions {
  pool: Pool;
  /** All declared tables. Their sealed columns follow from the declarations. */
  tables: readonly SealedTable[];
  encryptionKey: string;
  oldEncryptionKeys: readonly string[];
  /** Called after each page. */
  onProgress?(counts: Readonly<Record<RekeyPart, RekeyCount>>): void;
}

/** Rows in one statement: they stay locked for some milliseconds. */
const PAGE = 500;
/**
 * A pass that changes values is followed by another. If a process still writes an earlier form, a person must stop it.
 */
const PASSES_MAX = 5;
const RETRIES_MAX = 20;
const RETRY_MS = 500;

interface SealedPart {
  part: RekeyPart;
  read: (pool: Pool, page: { after: RowKey | undefined; limit: number }) => Promise<StoredValue[]>;
  write: (pool: Pool, values: readonly NewValue[]) => Promise<number>;
  place(row: RowKey): SealedPlace;
}

/** The sealed columns of the tables. A column that commands write too is written under the book's lock. */
function sealedParts(tables: readonly SealedTable[]): SealedPart[] {
  return tables.flatMap(({ name: table, key, columns }) =>
    columns
      .filter(({ sealed }) => sealed)
      .map(({ name, changes }): SealedPart => {
        const column: SealedColumn = { table, key, column: name };
        const writeThem = changes ? writeSealedOfCommands : writeSealed;
        return {
          part: `${table}.${name}`,
          read: (pool, page) => readSealedPage(pool, column, page),
          write: (pool, values) => writeThem(pool, column, values),
          place: ({ bookId, id }) => ({ bookId, table, column: name, rowId: id }),
        };
      }),
  );
}

const NOTICES: SealedPart = {
  part: 'notices',
  read: readNoticesPage,
  write: writeNotices,
  place: ({ bookId, id }) => ({ bookId, ...PAYEE_PLACE, rowId: id }),
};

/** A column has several, so that no declared column names them. */
const EARLIER_SECRETS: SealedPart = {
  part: 'earlier_secrets',
  read: readEarlierSecretsPage,
  write: writeEarlierSecrets,
  place: ({ bookId, id }) => earlierSecretPlace(bookId, idOfEndpoint(id)),
};

/** Keys of kept files: their pieces stay as they are. */
const FILES: SealedPart = {
  part: 'intake_files',
  read: readFileKeysPage,
  write: writeFileKeys,
  place: fileKeyPlace,
};

/** The same of reports. */
const REPORT_FILES: SealedPart = {
  part: 'report_files',
  read: readReportKeysPage,
  write: writeReportKeys,
  place: reportKeyPlace,
};

/** Tables of the sandbox processor are not declared: it plays the outside world. */
function ofSandbox(table: SandboxSealed, place: (id: string) => SealedPlace): SealedPart {
  return {
    part: `sandbox_processor.${table}`,
    read: (pool, page) => readSandboxPage(pool, table, page),
    write: (pool, values) => writeSandbox(pool, table, values),
    place: ({ id }) => place(id),
  };
}

const SANDBOX_PROCESSOR = [ofSandbox('secrets', () => SANDBOX_SECRET_PLACE), ofSandbox('numbers', sandboxNumberPlace)];

function ofBanks(table: BankSealed): SealedPart {
  return {
    part: table,
    read: (pool, page) => readBanksPage(pool, table, page),
    write: (pool, values) => writeBanks(pool, table, values),
    place: ({ bookId, id }) => SEALED_OF_BANKS[table].place(bookId, id),
  };
}

const BANKS = [ofBanks('bank_files'), ofBanks('bank_instructions')];

/** Throws SecretBoxError when the installation's own key does not open, and errors of Postgres that are not transient. */
export async function rekey(options: RekeyOptions): Promise<RekeyResult> {
  const { pool, encryptionKey, oldEncryptionKeys } = options;
  const box = createSecretBox(encryptionKey, oldEncryptionKeys);
  const parts = [
    ...sealedParts(options.tables),
    EARLIER_SECRETS,
    NOTICES,
    FILES,
    REPORT_FILES,
    ...SANDBOX_PROCESSOR,
    ...BANKS,
  ];
  const work: Work = {
    ...options,
    box,
    fingerprintKey: await readFingerprintKey(pool, box),
    parts,
    counts: newCounts(parts),
    keys: new Map(),
    wanted: 0,
  };
  for (let pass = 1; pass <= PASSES_MAX; pass++) {
    await onePass(work);
    if (work.wanted === 0) break;
  }
  return { counts: work.counts, keys: work.keys };
}

interface Work extends RekeyOptions {
  parts: readonly SealedPart[];
  box: SecretBox;
  fingerprintKey: KeyObject;
  counts: Record<RekeyPart, RekeyCount>;
  keys: Map<string, number>;
  /** Values that this pass has tried to write. */
  wanted: number;
}

async function onePass(work: Work): Promise<void> {
  work.wanted = 0;
  work.keys.clear();
  for (const count of Object.values(work.counts)) Object.assign(count, { found: 0, remaining: 0 });
  await rekeyInstallation(work);
  const keysPage = (after: RowKey | undefined) => readKeysPage(work.pool, { after, limit: PAGE });
  await eachPage(work, keysPage, async (rows) => {
    await rekeyFingerprints(work, rows);
    for (const row of rows) await rekeyAnswer(work, row);
  });
  for (const { part, read, write: writeThem, place } of work.parts) {
    const page = (after: RowKey | undefined) => read(work.pool, { after, limit: PAGE });
    await eachPage(work, page, async (rows) => {
      const changes: NewValue[] = [];
      for (const row of rows) {
        const { bookId, id, value } = row;
        const after = value && resealed(work, { part, value, place: place(row) });
        if (after) changes.push({ bookId, id, before: value, after });
      }
      await write(work, part, changes, () => writeThem(work.pool, changes));
    });
  }
}

/** Reads a page, then pauses for as long as the page took: half the time of one connection. */
async function eachPage<Row extends RowKey>(
  work: Work,
  read: (after: RowKey | undefined) => Promise<Row[]>,
  change: (rows: Row[]) => Promise<void>,
): Promise<void> {
  let after: RowKey | undefined;
  for (;;) {
    const begun = performance.now();
    const rows = await withRetries(() => read(after));
    await change(rows);
    work.onProgress?.(work.counts);
    if (rows.length < PAGE) return;
    after = elsewhere('rows', after, rows.at(-1)!);
    await sleep(performance.now() - begun);
  }
}

async function rekeyInstallation(work: Work): Promise<void> {
  for (const { name, sealed } of await withRetries(() => listInstallationSecrets(work.pool))) {
    const place = installationSecretPlace(name);
    const after = resealed(work, { part: 'installation', value: sealed, place });
    if (!after) continue;
    const reseal = () => resealInstallationSecret(work.pool, name, { before: sealed, after });
    await write(work, 'installation', [after], async () => Number(await reseal()));
  }
}

async function rekeyFingerprints(work: Work, rows: readonly StoredKey[]): Promise<void> {
  const { counts, fingerprintKey } = work;
  const digests = rows.filter(({ value }) => value.length === DIGEST_BYTES);
  counts.fingerprints!.found += rows.filter(({ value }) => value.length > 0).length;
  const changes = digests.map(({ bookId, id, value }) => {
    return { bookId, id, before: value, after: keyedFingerprint(fingerprintKey, value) };
  });
  await write(work, 'fingerprints', changes, () => writeFingerprints(work.pool, changes));
}

/** Replaces nothing but the sealed secret, so that a replay gives the same bytes. */
async function rekeyAnswer(work: Work, row: StoredKey): Promise<void> {
  const sealed = row.body === null ? undefined : concealedSecret(row.body);
  if (row.body === null || sealed === undefined) return;
  const value = Buffer.from(sealed, 'base64');
  const after = resealed(work, { part: 'answers', value, place: answerSecretPlace(row.bookId, row.id) });
  if (!after) return;
  const texts = { before: row.body, after: row.body.replace(sealed, after.toString('base64')) };
  await write(work, 'answers', [after], async () => Number(await writeAnswer(work.pool, row, texts)));
}

/** Returns the value sealed again; undefined when it is current already or does not open. */
function resealed(
  work: Work,
  { part, value, place }: { part: RekeyPart; value: Buffer; place: SealedPlace },
): Buffer | undefined {
  const { box } = work;
  const count = work.counts[part]!;
  count.found++;
  let after: Buffer | undefined;
  try {
    if (!box.isCurrent(value)) after = box.seal(box.open(value, place), place);
  } catch (error) {
    if (!(error instanceof SecretBoxError)) throw error;
    count.remaining++;
  }
  const keyId = sealedKeyId(after ?? value);
  work.keys.set(keyId, (work.keys.get(keyId) ?? 0) + 1);
  return after;
}

async function write(
  work: Work,
  part: RekeyPart,
  values: readonly unknown[],
  writeThem: () => Promise<number>,
): Promise<void> {
  if (values.length === 0) return;
  const written = await withRetries(writeThem);
  work.wanted += values.length;
  work.counts[part]!.changed += written;
  work.counts[part]!.remaining += values.length - written;
}

/** Retries transient failures: a deadlock, a restart. */
async function withRetries<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let retries = 0; ; retries++) {
    try {
      return await ask();
    } catch (error) {
      if (classifyFailure(error) !== 'transient' || retries === RETRIES_MAX) throw error;
      await sleep(RETRY_MS);
    }
  }
}

function newCounts(parts: readonly SealedPart[]): Record<RekeyPart, RekeyCount> {
  const names = ['installation', 'fingerprints', 'answers', ...parts.map(({ part }) => part)];
  return Object.fromEntries(names.map((name) => [name, { found: 0, changed: 0, remaining: 0 }]));
}
