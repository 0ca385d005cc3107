/**
 * A party as everybody meets it outside of its own folder: its calls are made in the turn of the book that they belong to, whoever
 * makes them. Its client itself is seen by what runs in such a turn alone.
 */
import type { Uuid } from '../values/ids.ts';
import type { CallFor, CallShares } from './call-shares.ts';
import type { NoticeSource, Party, PartyNotice } from './party.ts';

/** A party that can be called several times in one turn: for a job, which holds its turn until the answer is booked. */
export interface InTurn<Client> {
  readonly name: string;
  inTurn<Answer>(bookId: string, call: (client: Client) => Promise<Answer>, callFor?: CallFor): Promise<Answer>;
}

/** What a party tells belongs to no book until it is read: its share is that of one book, and no other call has it. */
const NOTICES = 'notices';

type Terms = Omit<Party, 'idempotent'>;

/** The terms of a party, and its notices. A kind of party adds its own calls. */
export abstract class SharedParty<Client extends Party & NoticeSource, Notice extends PartyNotice>
  implements Terms, NoticeSource, InTurn<Client>
{
  readonly name: string;
  readonly mode: Party['mode'];
  readonly notFoundFinalAfterMs: number;
  readonly inquiryDelaysMs: readonly number[];
  readonly callTimeoutMs: number;
  readonly callsAtOnce: number;
  /** For what needs no call. */
  protected readonly client: Client;
  readonly #shares: CallShares;

  constructor(client: Client, shares: CallShares) {
    this.name = client.name;
    this.mode = client.mode;
    this.notFoundFinalAfterMs = client.notFoundFinalAfterMs;
    this.inquiryDelaysMs = client.inquiryDelaysMs;
    this.callTimeoutMs = client.callTimeoutMs;
    this.callsAtOnce = client.callsAtOnce;
    this.client = client;
    this.#shares = shares;
  }

  inTurn<Answer>(
    bookId: string,
    call: (client: Client) => Promise<Answer>,
    callFor: CallFor = 'request',
  ): Promise<Answer> {
    return this.#shares.inTurn({ party: this.client, bookId, callFor }, () => call(this.client));
  }

  notices(limit: number, behind?: Uuid): Promise<Notice[]> {
    return this.inTurn(NOTICES, (client) => client.notices(limit, behind) as Promise<Notice[]>);
  }

  acknowledge(ids: readonly Uuid[]): Promise<void> {
    return this.inTurn(NOTICES, (client) => client.acknowledge(ids));
  }
}
