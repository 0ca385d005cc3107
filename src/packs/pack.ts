/**
 * A close pack: a folder with what a closed period was, to be kept and checked elsewhere, without a database (docs/decisions/close-packs.md).
 * It goes on where the pack before it ended: its entries begin behind that one's, and its opening tables are that one's tables, byte for byte.
 * Next: fold-entries.ts (what entries add up to), write-pack.ts, judge-pack.ts.
 */

import { GENESIS_HASH } from '../ledger/entry/entry-hash.ts';
import type { CheckpointView } from '../proofs/checkpoint.ts';

export const PACK_TYPE = 'countinghouse.close_pack.v1';
export const MANIFEST = 'manifest.json';

/** The files of a pack beside its manifest. */
export const PACK_FILES = {
  period: 'period.json',
  /** A line an entry: the text that its hash is over. */
  entries: 'entries.jsonl',
  accounts: 'accounts.csv',
  later: 'later.csv',
  trialBalance: 'trial_balance.csv',
  activity: 'account_activity.csv',
  openItems: 'open_items.csv',
  exceptions: 'exceptions.csv',
  /** What banks state of the last day: of the operator's book; of any other one without a row. */
  banks: 'bank_reconciliation.csv',
  hledger: 'books.hledger',
  ledger: 'books.ledger',
  beancount: 'books.beancount',
  checkpoint: 'checkpoint.json',
  proofs: 'proofs.jsonl',
} as const;

/** The tables of the pack before, in a pack that has one. */
export const OPENING_FILES = { accounts: 'opening_accounts.csv', later: 'opening_later.csv' } as const;

export interface PackedFile {
  readonly name: string;
  readonly bytes: number;
  /** Hexadecimal digits. */
  readonly sha256: string;
}

/** The pack that this one goes on from. */
export interface PreviousPack {
  readonly manifest_sha256: string;
  readonly period: string;
  readonly through: string;
  readonly through_sequence: number;
  readonly chain_hash: string;
  readonly checkpoint: CheckpointView | null;
}

export interface Manifest {
  readonly type: typeof PACK_TYPE;
  /** `book_…`. */
  readonly book: string;
  readonly time_zone: string;
  readonly period: string;
  /** Days of the book, both of them in. */
  readonly from: string;
  readonly through: string;
  readonly through_sequence: number;
  /** The hash of that entry; zeros before the first. */
  readonly chain_hash: string;
  /** Of the period: a line an account. Of the report: customers of a currency are one line. */
  readonly trial_balance: { readonly period_digest: string; readonly report_digest: string };
  readonly previous: PreviousPack | null;
  readonly files: readonly PackedFile[];
}

/** A folder is no pack, or its manifest cannot be read. The message states why. */
export class UnreadablePack extends Error {
  override name = 'UnreadablePack';
}

/** The last entry of the pack before, and its hash. */
export function startOf({ previous }: Pick<Manifest, 'previous'>): {
  readonly sequence: bigint;
  readonly hash: string;
} {
  return previous === null
    ? { sequence: 0n, hash: GENESIS_HASH }
    : { sequence: BigInt(previous.through_sequence), hash: previous.chain_hash };
}

const HASH = /^[0-9a-f]{64}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
/** Of this folder alone. */
const NAME = /^[a-z_]+\.[a-z]+$/;

/** Checks the form of what is read before anything is trusted. Throws UnreadablePack. */
export function manifestFrom(text: string): Manifest {
  let manifest: Manifest;
  try {
    manifest = JSON.parse(text) as Manifest;
  } catch {
    throw new UnreadablePack(`${MANIFEST} is not JSON.`);
  }
  const expectRight = (member: string, isRight: boolean) => {
    if (!isRight)
      throw new UnreadablePack(`${MANIFEST} is no manifest of a close pack: ${member} is not as it should be.`);
  };
  expectRight('`type`', manifest?.type === PACK_TYPE);
  const { trial_balance: trial, previous, files } = manifest;
  expectRight('`book`', isText(manifest.book));
  expectRight('`time_zone`', isText(manifest.time_zone));
  expectRight('`period`', isText(manifest.period));
  expectRight('`from`', DAY.test(manifest.from));
  expectRight('`through`', DAY.test(manifest.through));
  expectRight('`through_sequence`', isCount(manifest.through_sequence));
  expectRight('`chain_hash`', isHash(manifest.chain_hash));
  expectRight('`trial_balance`', isHash(trial?.period_digest) && isHash(trial.report_digest));
  expectRight('`files`', Array.isArray(files) && files.every(isFile));
  expectRight('`previous`', previous === null || isPrevious(previous));
  return manifest;
}

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isHash = (value: unknown) => typeof value === 'string' && HASH.test(value);
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;

function isFile(file: PackedFile | null): boolean {
  return file !== null && NAME.test(file.name) && isCount(file.bytes) && isHash(file.sha256);
}

function isPrevious(previous: PreviousPack | undefined): boolean {
  return (
    isHash(previous?.manifest_sha256) &&
    isHash(previous?.chain_hash) &&
    isCount(previous?.through_sequence) &&
    DAY.test(previous?.through ?? '') &&
    isText(previous?.period)
  );
}
