/** The attacks of a hostile neighbour, as the bench sends them to its process (hostile.ts). */

export interface PlannedRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** JSON. Each POST has a new Idempotency-Key. */
  readonly body?: string;
}

export type Attack =
  /** Requests in turn at a steady rate, answers read. A request without a free connection is left out, as by a real client. */
  | {
      readonly kind: 'requests';
      readonly url: string;
      readonly key: string;
      readonly requests: readonly PlannedRequest[];
      readonly connections: number;
      /** Rates, one after the other; the last one lasts until the end. */
      readonly rates: readonly { perSecond: number; seconds: number }[];
    }
  /** Requests on connections whose answers are never read. A connection that is closed is opened again. */
  | {
      readonly kind: 'unread';
      readonly url: string;
      readonly key: string;
      readonly path: string;
      readonly connections: number;
      readonly perSecond: number;
    }
  /** Silent connections, and requests that come one byte a second. */
  | {
      readonly kind: 'idle';
      readonly url: string;
      readonly key: string;
      readonly silent: number;
      readonly halfHeaders: number;
      readonly halfBodies: number;
    }
  /** Uploads of a batch that never end: each connection begins anew once its upload is refused. */
  | {
      readonly kind: 'uploads';
      readonly url: string;
      readonly key: string;
      /** JSON of an item, sent again and again. */
      readonly item: string;
      readonly connections: number;
    };

export type HostileQuestion =
  /** Answered with true once the attack is under way. Attacks add up. */
  | { ask: 'begin'; attack: Attack }
  /** Ends all attacks. Answered with the count of each outcome, such as `{ 202: 3000, 429: 150 }`. */
  | { ask: 'end' };

export type Outcomes = Record<string, number>;

/** An attack under way. */
export interface Running {
  /** Resolves once the attack has its full strength. */
  readonly underWay: Promise<void>;
  end(): void;
}
