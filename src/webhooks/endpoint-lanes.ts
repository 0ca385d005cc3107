/**
 * How much of this process one endpoint may take. A healthy one is sent to in parallel up to a limit, and what is beyond
 * it waits its turn. One that has stopped answering holds each try until its time is up: it gets a few places and nobody
 * waits behind them, so that it cannot hold up the deliveries of others. What is turned away stays pending, and the
 * sweeper rings for it again.
 */
import type { Uuid } from '../ids.ts';

/** Enough for thousands a second at a receiver that takes 10 ms; as many connections as a small server bears. */
const IN_FLIGHT_MAX = 64;
/** Enough to notice that it answers again. */
const IN_FLIGHT_SILENT_MAX = 4;

interface Lane {
  inFlight: number;
  /** Its last try ended without an answer in time. */
  silent: boolean;
  waiting: ((admitted: boolean) => void)[];
}

export class EndpointLanes {
  readonly #lanes = new Map<Uuid, Lane>();
  #closed = false;

  /** Resolves with true when there is a place, which leave() gives back; with false when it is not to be tried now. */
  enter(endpointId: Uuid): Promise<boolean> {
    const lane = this.#lane(endpointId);
    if (this.#closed) return Promise.resolve(false);
    if (lane.inFlight < (lane.silent ? IN_FLIGHT_SILENT_MAX : IN_FLIGHT_MAX)) {
      lane.inFlight++;
      return Promise.resolve(true);
    }
    if (lane.silent) return Promise.resolve(false);
    return new Promise((resolve) => lane.waiting.push(resolve));
  }

  leave(endpointId: Uuid, { answered }: { answered: boolean }): void {
    const lane = this.#lane(endpointId);
    lane.silent = !answered;
    const next = answered ? lane.waiting.shift() : undefined;
    if (next) next(true);
    else lane.inFlight--;
    if (lane.silent) turnAway(lane);
    // A silent lane is remembered: that is all there is to know of it.
    if (lane.inFlight === 0 && !lane.silent) this.#lanes.delete(endpointId);
  }

  /** Nobody is admitted any more; those who are in may finish. */
  close(): void {
    this.#closed = true;
    for (const lane of this.#lanes.values()) turnAway(lane);
  }

  #lane(endpointId: Uuid): Lane {
    let lane = this.#lanes.get(endpointId);
    if (!lane) {
      lane = { inFlight: 0, silent: false, waiting: [] };
      this.#lanes.set(endpointId, lane);
    }
    return lane;
  }
}

function turnAway(lane: Lane): void {
  for (const resolve of lane.waiting.splice(0)) resolve(false);
}
