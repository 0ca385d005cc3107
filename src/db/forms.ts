/**
 * Which stored forms this process may write. Every process reads the forms of this release and of the one before. A
 * process writes the earlier forms until it learns, within seconds, that the installation is contracted (contract.ts).
 * So every connected release reads what is written until then. There is no way back: a process that has learned of the
 * contract stops asking.
 */
import { isEarlierRelease } from '../release.ts';
import { readContractedTo } from './installation-store.ts';
import type { Pool } from './pool.ts';

export interface Forms {
  /** Whether the forms of release 0.2.0 may be written. Turns true once, and never back. */
  readonly contracted: boolean;
}

export interface WatchedForms extends Forms {
  /** Reads the installation's row now. Until the first reading, the earlier forms are written. */
  read(): Promise<void>;
  close(): void;
}

/** The release whose forms `contracted` refers to. */
const FORMS_RELEASE = '0.2.0';
const READ_EVERY_MS = 3_000;

export function watchForms(pool: Pool, { onFailure }: { onFailure: (error: unknown) => void }): WatchedForms {
  const timer = setInterval(() => void forms.read().catch(onFailure), READ_EVERY_MS);
  timer.unref();
  const forms = {
    contracted: false,
    async read() {
      const release = await readContractedTo(pool);
      if (release === null || isEarlierRelease(release, FORMS_RELEASE)) return;
      forms.contracted = true;
      clearInterval(timer);
    },
    close: () => clearInterval(timer),
  };
  return forms;
}
