/**
 * A party as code outside its folder calls it: each call is made in the turn of its book. Only code that runs in such a
 * turn sees the client itself. The calls of the contract are those of requests: jobs name themselves (inTurn).
 */
import type { Uuid } from '../../values/ids.ts';
import type { Acknowledged, NoticeSender, Party, PartyNotice } from '../party/party.ts';
import type { CallFor, CallLimits } from './call-limits.ts';

/** A party that can be called several times in one turn: for a job, whose turn lasts until the answer is booked. */
export interface InTurn<Client> {
  readonly name: string;
  inTurn<Answer>(bookId: string, call: (client: Client) => Promise<Answer>, callFor?: CallFor): Promise<Answer>;
}

/** Notices belong to no book until they are read: their calls are limited like those of one book of their own. Jobs make them. */
const NOTICES = 'notices';

type Terms = Omit<Party, 'idempotent'>;

/** The terms of a party, and its notices. A kind of party adds its own calls. */
export abstract class SharedParty<Client extends Party & NoticeSender, Notice extends PartyNotice>
  implements Terms, NoticeSender, InTurn<Client>
{
  readonly name: string;
  readonly mode: Party['mode'];
  readonly notFoundFinalAfterMs: number;
  readonly inquiryDelaysMs: readonly number[];
  readonly callTimeoutMs: number;
  readonly callsAtOnce: number;
  /** For reads that need no call. */
  protected readonly client: Client;
  readonly #limits: CallLimits;

  constructor(client: Client, limits: CallLimits) {
    this.name = client.name;
    this.mode = client.mode;
    this.notFoundFinalAfterMs = client.notFoundFinalAfterMs;
    this.inquiryDelaysMs = client.inquiryDelaysMs;
    this.callTimeoutMs = client.callTimeoutMs;
    this.callsAtOnce = client.callsAtOnce;
    this.client = client;
    this.#limits = limits;
  }

  inTurn<Answer>(
    bookId: string,
    call: (client: Client) => Promise<Answer>,
    callFor: CallFor = 'request',
  ): Promise<Answer> {
    return this.#limits.inTurn({ party: this.client, bookId, callFor }, () => call(this.client));
  }

  notices(limit: number, behind?: Uuid): Promise<Notice[]> {
    return this.inTurn(NOTICES, (client) => client.notices(limit, behind) as Promise<Notice[]>, 'job');
  }

  acknowledge(ids: readonly Uuid[], how?: Acknowledged): Promise<void> {
    return this.inTurn(NOTICES, (client) => client.acknowledge(ids, how), 'job');
  }
}
