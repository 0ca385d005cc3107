/**
 * Times of examples that tell an order. Real times do not serve: two that are apart in one run fall into one millisecond in the next.
 * The events of a book have an order that is the same in every run, and what they tell of takes its time from them.
 */

/** An event, as far as times follow from it. */
export interface Happening {
  readonly id: string;
  /** Gapless within the book. */
  readonly sequence: number;
  /** The version of the object after it. */
  readonly object_sequence: number;
  readonly created_at: string;
  readonly data: { readonly object: { readonly id: string } };
  readonly journal_entries: readonly { readonly id: string }[];
}

type Json = Readonly<Record<string, unknown>>;

/** Between two events of a book. No whole seconds, so that fractions differ as they do on the wire. */
const BETWEEN_EVENTS_MS = 1_270;
/** From an event to an attempt to deliver it. */
const UNTIL_ATTEMPT_MS = 160;

const isTime = (value: unknown): value is string => typeof value === 'string' && /^\d{4}-.*\.\d{3}Z$/.test(value);

export class Moments {
  readonly #byEvent = new Map<string, number>();
  readonly #byEntry = new Map<string, number>();
  /** By object, then by its version. */
  readonly #byObject = new Map<string, Map<number, number>>();

  /** `begin` is the moment of the first event; `stepOf` is how much later than the beginning of the run a real time counts. */
  constructor(events: readonly Happening[], { begin, stepOf }: { begin: number; stepOf: (time: string) => number }) {
    const inOrder = [...events].sort((one, other) => one.sequence - other.sequence);
    for (const event of inOrder) {
      const moment = begin + stepOf(event.created_at) + (event.sequence - 1) * BETWEEN_EVENTS_MS;
      this.#byEvent.set(event.id, moment);
      for (const { id } of event.journal_entries) if (!this.#byEntry.has(id)) this.#byEntry.set(id, moment);
      const { id } = event.data.object;
      const versions = this.#byObject.get(id) ?? new Map<number, number>();
      this.#byObject.set(id, versions.set(event.object_sequence, moment));
    }
  }

  /** The value with `write(moment)` in the place of the times that follow from an event. Other times stay. */
  put(value: unknown, write: (moment: number) => string): unknown {
    if (Array.isArray(value)) return value.map((item) => this.put(item, write));
    if (typeof value !== 'object' || value === null) return value;
    const known = this.#timesOf(value as Json);
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        const moment = isTime(member) ? known[name] : undefined;
        if (moment !== undefined) return [name, write(moment)];
        const attempted = Array.isArray(member) ? known[name] : undefined;
        return [name, this.put(attempted === undefined ? member : attemptsAt(member, write(attempted)), write)];
      }),
    );
  }

  /** The moments of an object's members, as far as they are known. */
  #timesOf(value: Json): Readonly<Record<string, number | undefined>> {
    const { id, object, event, journal_entry: entry, version } = value as Record<string, string>;
    const told = this.#byEvent.get(event ?? '');
    if (told !== undefined)
      return {
        at: told,
        created_at: told,
        attempts: told + UNTIL_ATTEMPT_MS,
        webhook_attempts: told + UNTIL_ATTEMPT_MS,
      };
    if (object === 'event') return { created_at: this.#byEvent.get(id!) };
    const booked = this.#byEntry.get((object === 'journal_entry' ? id : entry) ?? '');
    if (booked !== undefined) return { posted_at: booked, effective_at: booked };
    const versions = this.#byObject.get(id ?? '');
    // Without events of its own, such as a return, it happened with its entry.
    if (versions === undefined) return { created_at: this.#firstOf(value.journal_entries) };
    const updated = versions.get(Number(version));
    const created = versions.get(1);
    return {
      created_at: created,
      expected_arrival: created,
      updated_at: updated,
      resolved_at: updated,
      // The second version of a payout is the one that is sent.
      sent_at: versions.get(2),
    };
  }
  #firstOf(entries: unknown): number | undefined {
    return Array.isArray(entries) && typeof entries[0] === 'string' ? this.#byEntry.get(entries[0]) : undefined;
  }
}

function attemptsAt(attempts: readonly Json[], time: string): readonly Json[] {
  return attempts.map((attempt) => ({
    ...attempt,
    ...('at' in attempt && { at: time }),
    ...('started_at' in attempt && { started_at: time }),
  }));
}
