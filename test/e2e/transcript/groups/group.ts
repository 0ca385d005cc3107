/**
 * What a group of the API gives to the tests of the wire: its scenes in the transcript, an object of each kind that its paths
 * name, and the bodies that refer to them. A new group or resource adds a file with these beside this one.
 */
import type { Client } from '../../../../scripts/harness/client.ts';
import type { OrganisationKeys } from '../../../../scripts/harness/organisation.ts';
import type { Receiver } from '../../../../scripts/harness/receiver.ts';
import type { IdKind } from '../../../../src/values/ids.ts';
import type { TestBook } from '../../../support/book.ts';
import type { Product } from '../../../support/product.ts';
import type { Transcript } from '../transcript.ts';

/** A list, as far as scenes read it. */
export interface Page {
  data: { id: string; status?: string }[];
  next_cursor: string;
}

/** Where a scene is played: a book of its own, and the transcript of what is said in it. */
export interface Stage {
  readonly product: Product;
  readonly receiver: Receiver;
  readonly keys: OrganisationKeys;
  readonly wire: Transcript;
  /** In JOD, unless `body` says otherwise. */
  openAccount(body?: object): Promise<{ id: string }>;
  fund(account: string, amount?: number): Promise<unknown>;
}

export interface Scene {
  /** `accounts`: in transcript/accounts.txt. */
  readonly file: string;
  play(stage: Stage): Promise<void>;
  /** Examples come from it, and no file. */
  readonly examplesOnly?: boolean;
  /**
   * In a product of its own: a scene that makes a bank account of the operator's, whose book mirrors from then on what the books of all
   * scenes move.
   */
  readonly alone?: true;
}

/** A text that differs from run to run. */
export interface Form {
  readonly kind: string;
  readonly form: RegExp;
  /** False where all look alike in the transcript; otherwise each value has a number. */
  readonly numbered?: false;
  /** Stands in its place in examples. Without one, no body has such a text. */
  example?(digest: Buffer, number: number): string;
}

/** The idempotency key of the payout among the objects: what a path has in the place of a text. */
export const USED_KEY = 'the-key-of-a-payout';

/** Public ids by kind, and a text. */
export type Objects = Readonly<Partial<Record<IdKind | 'text', string>>>;

export interface BookWithObjects {
  readonly product: Product;
  readonly keys: OrganisationKeys;
  readonly client: Client;
  /** By the groups before it in the list. */
  readonly made: Objects;
}

export interface GroupOnWire {
  /** Played in this order; examples are the first of their kind. */
  readonly scenes: readonly Scene[];
  readonly forms?: readonly Form[];
  /** One object of each kind of id in the group's paths. */
  objects?(book: BookWithObjects): Promise<Objects>;
  /** Rows of its tables in a book that no process serves, beside those of test/support/verify-scene.ts. */
  rows?(book: TestBook): Promise<void>;
  /** By operation, in the place of the reference's example, where that names something that is not there. */
  bodies?(known: { readonly made: Objects; readonly person: string }): Readonly<Record<string, unknown>>;
}
