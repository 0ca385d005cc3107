/**
 * Limits the concurrent attempts to one endpoint, by how fast it answers. A quick endpoint gets many at a time and a
 * slow one few, so that each endpoint takes about the same number of attempt-seconds. A failing endpoint gets a few
 * attempts, and no delivery waits behind them.
 */

/** Enough for thousands a second at a receiver that takes 10 ms, and as many connections as a small server accepts. */
const IN_FLIGHT_MAX = 64;
/**
 * The limit of an unknown endpoint; each attempt that arrives raises it by one. A silent endpoint occupies one slot for
 * 15 s.
 */
const IN_FLIGHT_FIRST = 1;
/** Enough to notice that the endpoint answers again, and for an endpoint that answers in 15 s. */
const IN_FLIGHT_MIN = 4;
/** The limit of an endpoint that answers more slowly than this falls in proportion to its answer time. */
const QUICK_MS = 1_000;
/** An endpoint is failing after this many attempts in a row without a 2xx. */
const FAILURES_MAX = 4;
/**
 * An endpoint is also failing when one attempt fails only after this long, mostly without an answer, and nothing else
 * arrives meanwhile.
 */
const SILENT_MS = 10_000;
/** Longest wait in memory: shorter than the first due time of a delivery (30 s). */
const WAIT_MAX_MS = 20_000;
const WAITING_MAX = 2_000;
/** The weight of the last answer in the smoothed answer time. */
const SMOOTHING = 0.2;

/** An attempt in progress. */
export interface AttemptBegun {
  /** Attempts of the endpoint that had arrived when this one began. */
  readonly arrivedBefore: number;
}

export class EndpointConcurrency {
  #inFlight = 0;
  #limit = IN_FLIGHT_FIRST;
  /** The smoothed answer time in milliseconds; 0 until the first answer. */
  #answerMs = 0;
  #failures = 0;
  #failed = 0;
  #arrived = 0;

  get inFlight(): number {
    return this.#inFlight;
  }

  get limit(): number {
    return this.#limit;
  }

  get isFull(): boolean {
    return this.#inFlight >= this.#limit;
  }

  /** All attempts that failed so far. */
  get failed(): number {
    return this.#failed;
  }

  /** Whether the endpoint is failing: its last attempts failed. */
  get isFailing(): boolean {
    return this.#failures >= FAILURES_MAX;
  }

  /** Most deliveries that may wait for the endpoint in memory. */
  get waitingMax(): number {
    if (this.isFailing) return 0;
    if (this.#answerMs === 0) return WAITING_MAX;
    return Math.min(WAITING_MAX, Math.max(this.#limit, Math.floor((this.#limit * WAIT_MAX_MS) / this.#answerMs)));
  }

  /** Nothing about the endpoint is worth remembering. */
  get isUnremarkable(): boolean {
    return this.#inFlight === 0 && this.#failures === 0 && this.#answerMs < QUICK_MS;
  }

  /** For an endpoint whose last attempt failed: limits it to one attempt at a time, until one succeeds. */
  probe(): void {
    this.#failures = Math.max(this.#failures, FAILURES_MAX);
    this.#limit = 1;
  }

  /** Returns the argument of end(). */
  begin(): AttemptBegun {
    this.#inFlight += 1;
    return { arrivedBefore: this.#arrived };
  }

  end({ arrivedBefore }: AttemptBegun, { arrived, durationMs }: { arrived: boolean; durationMs: number }): void {
    this.#inFlight -= 1;
    this.#answerMs = this.#answerMs === 0 ? durationMs : this.#answerMs + SMOOTHING * (durationMs - this.#answerMs);
    if (arrived) {
      this.#arrived += 1;
      this.#failures = 0;
    } else {
      this.#failed += 1;
      const isSilent = durationMs >= SILENT_MS && this.#arrived === arrivedBefore;
      this.#failures = isSilent ? Math.max(this.#failures + 1, FAILURES_MAX) : this.#failures + 1;
    }
    const bearable = Math.round((IN_FLIGHT_MAX * QUICK_MS) / Math.max(this.#answerMs, QUICK_MS));
    const most = this.isFailing ? IN_FLIGHT_MIN : Math.max(bearable, IN_FLIGHT_MIN);
    this.#limit = Math.min(most, this.#limit + (arrived ? 1 : 0));
  }

  /** Ends an attempt that was never sent. */
  drop(): void {
    this.#inFlight -= 1;
  }
}
