/**
 * Answers that equal an event. The answer to an accepted payout is the object of its `payout.created`, so a reference
 * to that event is stored, `{"$event":"17"}`, and a replay renders it: the same bytes, filled in with the same texts.
 * Events are kept for ever; the reference goes with its retention, like any stored answer. No view has a member of that
 * name.
 */

export function eventReference(sequence: bigint): string {
  return `{"$event":"${sequence}"}`;
}

const REFERENCE = /^\{"\$event":"(\d{1,18})"\}$/;

/** The sequence of the event that a stored answer refers to; undefined for one that is stored itself. */
export function referredEvent(body: string): bigint | undefined {
  const sequence = REFERENCE.exec(body)?.[1];
  return sequence === undefined ? undefined : BigInt(sequence);
}
