/** What a payment is paid with. Each type has a file here and in api/sources/, and a line in sources.ts. */
import type { Acquirer } from '../../acquirers/acquirer.ts';
import type { CardShown } from '../../acquirers/card.ts';
import type { Pool } from '../../db/pool.ts';
import type { SecretBox } from '../../db/secret-box.ts';
import type { Fingerprints } from '../../idempotency/fingerprints.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Refusal, Touch } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import type { Clock, Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { CaptureMode, NextAction, Payment, SourceFacts } from '../payment/payment.ts';

export interface SourceRuntime {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly fingerprints: Fingerprints;
  readonly publicUrl: string;
  readonly secretBox: SecretBox;
}

/** Of which request a source is. */
export interface SourceOf {
  readonly bookId: BookId;
  readonly acquirer: Acquirer;
  /** Minted before: what a source seals or hashes is for this payment. */
  readonly paymentId: Uuid;
  /** The card is kept: its token has to authorize more than once. */
  readonly reusable: boolean;
  readonly captureMode: CaptureMode;
  /** No party is called: a preview uses no answer of theirs. */
  readonly dryRun: boolean;
}

/** How the payment begins. */
export interface PreparedSource {
  readonly card: CardShown | null;
  /** The acquirer's token: it is authorized at once. Null: the payer has to act first. */
  readonly token: string | null;
  /** Where the payer goes, without a token; null where a reader or an alias asks them. */
  readonly nextAction: NextAction | null;
  /** Of the token of a hosted page. */
  readonly checkoutDigest?: Buffer | undefined;
  /** The acquirer asks the payer by an alias: it is called at once, without a token. */
  readonly isRequest?: true;
  /** What the payment keeps of it. */
  readonly facts?: SourceFacts;
  /** Of a request to pay: sealed for the payment. */
  readonly aliasSealed?: Buffer;
  /** How long the payer may act, in the book's time from acceptance; null with a token. */
  readonly expiresAfterMs: number | null;
  /** The same as a moment, where the caller named it. */
  readonly expiresAt?: Instant;
  /** Rows that `begin` reads or writes. */
  readonly touches: readonly Touch[];
  /** What the source changes with the payment's first commit: a token is used up, a reader is busy. */
  readonly begin?: (draft: Draft, payment: Payment) => Refusal | undefined;
}

/** `prepare` calls the outside, which moves no money. Throws ApiError for what no command has to decide. */
export interface Source<Input> {
  /** Whether preparing it asks the acquirer. Left out: it never does. */
  readonly asksAcquirer?: (input: Input) => boolean;
  prepare(runtime: SourceRuntime, input: Input, of: SourceOf): Promise<PreparedSource>;
}
