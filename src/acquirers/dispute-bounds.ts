/** The bounds of a simulated dispute, which the sandbox checks under the lock of the payment's authorization. */

/** What of a payment may be disputed. Without bounds the acquirer accepts any dispute, as a real one may. */
export interface DisputeBounds {
  /** The authorization of the payment, whichever of its instructions is disputed. */
  readonly payment: string;
  /** Captured of the payment, as far as its merchant has booked it. */
  readonly captured: bigint;
  readonly disputesMax: number;
}

/** The disputes of a payment, where another dispute exceeds its bounds. Nothing was recorded. */
export interface BeyondBounds {
  readonly disputed: bigint;
  readonly disputes: number;
  /** The amount of the refused dispute; null where it was to be the whole remainder. */
  readonly amount: bigint | null;
}
