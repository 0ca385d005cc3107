/** The parts of the process's runtime that the API uses. */
import type { Acquirers } from '../acquirers/acquirers.ts';
import type { DisputeTerms } from '../acquirers/dispute-terms.ts';
import type { ReleaseSchedule } from '../calendar/release-schedule.ts';
import type { Config } from '../config.ts';
import type { Contracted } from '../db/forms.ts';
import type { ListReads } from '../db/list-reads.ts';
import type { SecretBox } from '../db/secret-box.ts';
import type { OfAllGroups } from '../group/of-all-groups.ts';
import type { PayableCards } from '../group/payable-card.ts';
import type { OnceRuntime } from '../idempotency/run-once.ts';
import type { RecentAccounts } from '../ledger/account/recent-accounts.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { Authenticator } from '../organisations/authenticate.ts';
import type { AskedEndpoints } from '../outside/questions/asked-endpoints.ts';
import type { Logger } from '../process/log.ts';
import type { Processors } from '../processors/processors.ts';
import type { Rails } from '../rails/rails.ts';
import type { RailSettings } from '../rails/settings/rail-settings.ts';
import type { Clock } from '../values/clock.ts';

export interface HttpMetrics {
  /**
   * Records one answered request. `route` is the route's pattern, not the request's path, so that metrics have few
   * labels.
   */
  observeRequest(request: { method: string; route: string; status: number }, seconds: number): void;
  readonly cardDecisions: {
    /** Counts one committed decision about a card purchase. */
    decided(by: 'rules' | 'endpoint' | 'default' | 'network', decision: 'approved' | 'declined'): void;
  };
  render(): Promise<string>;
  readonly contentType: string;
}

/** Use cases of groups name the parts that they need of it. */
export interface ApiRuntime extends OnceRuntime, Omit<OfAllGroups, 'groups' | 'operatorReports' | 'appointments'> {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly forms: Contracted;
  readonly authenticator: Authenticator;
  /** A queue of this process's pools from which no job comes although one waits. */
  readonly stalledQueues: { stalled(): string | undefined };
  readonly secretBox: SecretBox;
  readonly rails: Pick<Rails, 'sandbox' | 'get' | 'carrying' | 'all' | 'files' | 'partners'>;
  /** Of the groups that have cards: what payouts may go to. */
  readonly payableCards: Readonly<Record<'paymentToken' | 'card', PayableCards>>;
  readonly railSettings: RailSettings;
  readonly acquirers: Acquirers;
  readonly processors: Processors;
  readonly endpoints: AskedEndpoints;
  readonly recentAccounts: RecentAccounts;
  readonly disputeTerms: DisputeTerms;
  /** For how long an authorization can be captured. */
  readonly authorizationMs: number;
  /** When what payments earn is released. */
  readonly release: ReleaseSchedule;
  /** JSON that is about to leave, with the links that are stored without their secret part. */
  withLinks(bookId: BookId, json: string, publicUrl?: string): string;
  /** For reads of many rows. A single object is read on `pool`. */
  readonly lists: ListReads;
  readonly metrics: HttpMetrics;
  /** The key of an embedded sandbox, for the reference page on this machine. */
  readonly sandboxKey?: string | undefined;
}
