/**
 * Which stored forms this process may write. Every process reads the forms of this release and of the one before. A
 * process writes the earlier forms until it learns, within seconds, that the installation is contracted (contract.ts).
 * So every connected release reads what is written until then. There is no way back: a process that has learned of the
 * contract stops asking.
 */
import { isEarlierRelease } from '../process/release.ts';
import { readContractedTo } from './installation-store.ts';
import type { Pool } from './pool.ts';

/** What may be written, by the release that the installation is contracted to. Each turns true once, and never back. */
export interface Forms {
  /** To 0.3.0 or later: personal text apart from events and answers (ledger/rows/personal-text.ts), sealed evidence. */
  readonly textApart: boolean;
  /** To 0.3.0 or later: an entry of a return names the return, and stands in no list of its payout. */
  readonly returnsApart: boolean;
  /** To 0.3.0 or later: evidence under resource and id (outside/evidence.ts). */
  readonly evidenceByResource: boolean;
  /** To 0.3.0 or later: events in a form (ledger/events/event-form.ts), and answers that refer to one (idempotency/event-answer.ts). */
  readonly eventsDerived: boolean;
  /** To 0.3.0 or later: multi-book jobs (queue/job.ts). */
  readonly multiBookJobs: boolean;
}

/** Those that decisions ask about. */
export type LedgerForms = Omit<Forms, 'multiBookJobs'>;

/** The forms that every release reads. */
export const EARLIEST_FORMS: Forms = {
  textApart: false,
  returnsApart: false,
  evidenceByResource: false,
  eventsDerived: false,
  multiBookJobs: false,
};

export interface WatchedForms extends Forms {
  /** Reads the installation's row now. Until the first reading, the earlier forms are written. */
  read(): Promise<void>;
  close(): void;
}

/** The release that reads each form first. */
const RELEASES: Readonly<Record<keyof Forms, string>> = {
  textApart: '0.3.0',
  returnsApart: '0.3.0',
  evidenceByResource: '0.3.0',
  eventsDerived: '0.3.0',
  multiBookJobs: '0.3.0',
};
const FORMS = Object.keys(RELEASES) as (keyof Forms)[];
const READ_EVERY_MS = 3_000;

export function watchForms(pool: Pool, { onFailure }: { onFailure: (error: unknown) => void }): WatchedForms {
  const timer = setInterval(() => void forms.read().catch(onFailure), READ_EVERY_MS);
  timer.unref();
  const forms = {
    ...EARLIEST_FORMS,
    async read() {
      const release = await readContractedTo(pool);
      for (const form of FORMS) forms[form] ||= !isEarlierRelease(release, RELEASES[form]);
      if (FORMS.every((form) => forms[form])) clearInterval(timer);
    },
    close: () => clearInterval(timer),
  };
  return forms;
}
