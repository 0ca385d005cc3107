/**
 * How much of this process one endpoint may take, by how it answers. A quick one is sent to in parallel; the slower it is,
 * the fewer attempts it has under way at a time, so that each endpoint takes about as many attempt-seconds. One that takes
 * nothing gets a few attempts, and nothing waits behind them.
 */

/** Enough for thousands a second at a receiver that takes 10 ms; as many connections as a small server bears. */
const IN_FLIGHT_MAX = 64;
/** For an endpoint of which nothing is known; each answer that says it has arrived makes it one more. A silent one holds it for 15 s. */
const IN_FLIGHT_FIRST = 1;
/** Enough to notice that it answers again, and for one that answers in 15 s. */
const IN_FLIGHT_MIN = 4;
/** Up to this an answer is quick: an endpoint has as many attempts under way as it can begin in so much time. */
const QUICK_MS = 1_000;
/** So many in a row without a 2xx: it takes nothing. */
const FAILURES_MAX = 4;
/** Nor does one that fails an attempt only after so long, mostly without an answer, while nothing else arrives. */
const SILENT_MS = 10_000;
/** Waits no longer in memory than the first due time of a delivery leaves (30 s). */
const WAIT_MAX_MS = 20_000;
const WAITING_MAX = 2_000;
/** Of the answer times: the last one counts a fifth. */
const SMOOTHING = 0.2;

/** An attempt under way. */
export interface AttemptBegun {
  /** Attempts of its endpoint that had arrived when it began. */
  readonly arrivedBefore: number;
}

export class EndpointConcurrency {
  #inFlight = 0;
  #limit = IN_FLIGHT_FIRST;
  /** Milliseconds, smoothed; 0 until the first answer. */
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

  /** Attempts that failed, ever. */
  get failed(): number {
    return this.#failed;
  }

  /** Its last attempts all failed. */
  get isFailing(): boolean {
    return this.#failures >= FAILURES_MAX;
  }

  /** How many deliveries may wait for it in memory. */
  get waitingMax(): number {
    if (this.isFailing) return 0;
    if (this.#answerMs === 0) return WAITING_MAX;
    return Math.min(WAITING_MAX, Math.max(this.#limit, Math.floor((this.#limit * WAIT_MAX_MS) / this.#answerMs)));
  }

  /** There is nothing to remember of it. */
  get isUnremarkable(): boolean {
    return this.#inFlight === 0 && this.#failures === 0 && this.#answerMs < QUICK_MS;
  }

  /** It took nothing when it was last tried: one attempt at a time, until one arrives. */
  probe(): void {
    this.#failures = Math.max(this.#failures, FAILURES_MAX);
    this.#limit = 1;
  }

  /** What end() is told. */
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

  /** It was not sent at all: nothing is learned. */
  drop(): void {
    this.#inFlight -= 1;
  }
}
