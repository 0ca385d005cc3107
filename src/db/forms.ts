/**
 * Which stored forms this process may write. Every process reads the forms of this version and of the one before. A
 * process writes the earlier forms until it reads, within seconds, that the installation is contracted (contract.ts).
 * So every connected version reads what is written until then. There is no way back: a process that knows of the
 * contract stops asking.
 */
import { isEarlierVersion, VERSION, VERSION_BEFORE } from '../process/version.ts';
import { readContractedTo } from './installation-store.ts';
import type { Pool } from './pool.ts';

/** What may be written, by the version that the installation is contracted to. Each turns true once, and never back. */
export interface Forms {
  /** To 0.3.0 or later: personal text apart from events and answers (ledger/rows/personal-text.ts), sealed evidence. */
  readonly textApart: boolean;
  /** To 0.3.0 or later: an entry of a return names the return, and is in no list of its payout. */
  readonly returnsApart: boolean;
  /** To 0.3.0 or later: evidence under resource and id (outside/evidence/evidence.ts). */
  readonly evidenceByResource: boolean;
  /**
   * To 0.4.0 or later: events in the newest form (ledger/events/event-form.ts), and answers that refer to one
   * (idempotency/event-answer.ts). Until then events are whole: 0.3.0 writes form 1, and reads no other.
   */
  readonly eventsDerived: boolean;
  /** To 0.3.0 or later: multi-book jobs (queue/job.ts). */
  readonly multiBookJobs: boolean;
  /** To 0.4.0 or later: events of keys. */
  readonly keysOverApi: boolean;
  /** To 0.4.0 or later: events of transfers that arrive, and money that waits at a bank for a person. */
  readonly moneyIn: boolean;
  /** To 0.4.0 or later: jobs that 0.3.0 does not know (queue/job.ts, LATER_JOBS). */
  readonly laterJobs: boolean;
}

/** The forms that decisions ask about. */
export type LedgerForms = Omit<Forms, 'multiBookJobs' | 'laterJobs'>;

/** The forms that every version reads. */
export const EARLIEST_FORMS: Forms = {
  textApart: false,
  returnsApart: false,
  evidenceByResource: false,
  eventsDerived: false,
  multiBookJobs: false,
  keysOverApi: false,
  moneyIn: false,
  laterJobs: false,
};

/** The forms of a batch. They may turn true while it runs, and its commands write the same ones. */
export function snapshotOf(forms: LedgerForms): LedgerForms {
  return {
    textApart: forms.textApart,
    returnsApart: forms.returnsApart,
    evidenceByResource: forms.evidenceByResource,
    eventsDerived: forms.eventsDerived,
    keysOverApi: forms.keysOverApi,
    moneyIn: forms.moneyIn,
  };
}

/** For what is refused until a contract: operations that the version before does not know (api/route.ts, `since`). */
export interface Contracted {
  /** The version that the installation is contracted to, as far as this process knows. */
  readonly contractedTo: string;
}

export interface WatchedForms extends Forms, Contracted {
  /** Reads the installation's row now. Until the first reading, the earlier forms are written. */
  read(): Promise<void>;
  close(): void;
}

/** The first version that reads each form. */
const FIRST_VERSION: Readonly<Record<keyof Forms, string>> = {
  textApart: '0.3.0',
  returnsApart: '0.3.0',
  evidenceByResource: '0.3.0',
  eventsDerived: '0.4.0',
  multiBookJobs: '0.3.0',
  keysOverApi: '0.4.0',
  moneyIn: '0.4.0',
  laterJobs: '0.4.0',
};
const FORMS = Object.keys(FIRST_VERSION) as (keyof Forms)[];
const READ_EVERY_MS = 3_000;

export function watchForms(pool: Pool, { onFailure }: { onFailure: (error: unknown) => void }): WatchedForms {
  const timer = setInterval(() => void forms.read().catch(onFailure), READ_EVERY_MS);
  timer.unref();
  const forms = {
    ...EARLIEST_FORMS,
    contractedTo: VERSION_BEFORE,
    async read() {
      const version = await readContractedTo(pool);
      if (isEarlierVersion(forms.contractedTo, version)) forms.contractedTo = version;
      for (const form of FORMS) forms[form] ||= !isEarlierVersion(version, FIRST_VERSION[form]);
      if (!isEarlierVersion(version, VERSION)) clearInterval(timer);
    },
    close: () => clearInterval(timer),
  };
  return forms;
}
