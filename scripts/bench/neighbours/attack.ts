/** What a hostile neighbour does, as the bench tells its process (hostile.ts). */

export interface PlannedRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** JSON. A POST is sent under a new Idempotency-Key each time. */
  readonly body?: string;
}

export type Attack =
  /** Requests in turn at a steady rate, answers read. What finds no free connection is left out, as by a client of that size. */
  | {
      readonly kind: 'requests';
      readonly url: string;
      readonly key: string;
      readonly requests: readonly PlannedRequest[];
      readonly connections: number;
      /** One rate after the other; the last one lasts until the end. */
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
  /** Connections that say nothing, and requests that come one byte a second. */
  | {
      readonly kind: 'idle';
      readonly url: string;
      readonly key: string;
      readonly silent: number;
      readonly halfHeaders: number;
      readonly halfBodies: number;
    };

export type HostileQuestion =
  /** Answered with true once it is under way. Attacks add up. */
  | { ask: 'begin'; attack: Attack }
  /** Ends all; answered with how often each outcome came, such as `{ 202: 3000, 429: 150 }`. */
  | { ask: 'end' };

export type Outcomes = Record<string, number>;

/** An attack under way. */
export interface Running {
  /** Resolves once it is as hard as it gets. */
  readonly underWay: Promise<void>;
  end(): void;
}
