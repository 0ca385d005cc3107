/** What the API takes of the process around it. The process's runtime satisfies it. */
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { ListReads } from '../db/list-reads.ts';
import type { Logger } from '../log.ts';
import type { Authenticator } from '../organisations/authenticate.ts';
import type { PayoutRuntime } from '../payouts/request-payout.ts';
import type { SimulationRuntime } from '../payouts/simulate-payout.ts';

export interface HttpMetrics {
  /** One answered request. The route is its pattern, never its path: labels stay few. */
  observeRequest(request: { method: string; route: string; status: number }, seconds: number): void;
  render(): Promise<string>;
  readonly contentType: string;
}

export interface ApiRuntime extends PayoutRuntime, SimulationRuntime {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly authenticator: Authenticator;
  /** For whatever shows many rows; one object is read by the pool. */
  readonly lists: ListReads;
  readonly metrics: HttpMetrics;
}
