/** Within what a simulated dispute must stay: the sandbox judges it under the lock of the payment's authorization. */

/** What of a payment may be disputed. Without it the acquirer takes whatever it is told, as a real one may. */
export interface DisputeBounds {
  /** The authorization of the payment, whichever of its instructions is disputed. */
  readonly payment: string;
  /** Of the payment, as far as its merchant has booked it. */
  readonly captured: bigint;
  readonly disputesMax: number;
}

/** What is disputed of a payment already, where another dispute is beyond its bounds. Nothing was recorded. */
export interface BeyondBounds {
  readonly disputed: bigint;
  readonly disputes: number;
  /** Of the dispute that is not opened; null where all that is left was to be disputed. */
  readonly amount: bigint | null;
}
