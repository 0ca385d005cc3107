/**
 * Which stored forms this process may write. Every process reads both the forms of this release and those of the one before.
 * It writes the earlier ones until the installation is contracted (contract.ts), which it learns within seconds: what it
 * writes until then is read by everybody. There is no way back, so that a process that has learned it asks no more.
 */
import { isEarlierRelease } from '../release.ts';
import { readContractedTo } from './installation-store.ts';
import type { Pool } from './pool.ts';

export interface Forms {
  /** Whether the forms of release 0.2.0 may be written. Turns true once, while the process runs or before. */
  readonly contracted: boolean;
}

export interface WatchedForms extends Forms {
  /** Reads the installation's row, now. Until then the earlier forms are written. */
  read(): Promise<void>;
  close(): void;
}

/** The release whose forms `contracted` speaks of. */
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
