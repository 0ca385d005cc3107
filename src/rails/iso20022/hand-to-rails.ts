import type { HandedFile } from '../../intake/handed-file.ts';
import type { Iso20022Rail } from './iso20022-rail.ts';

/** A notification that reconciliation was given: each rail that reads those of its account takes its part. */
export async function handToRails(files: readonly Pick<Iso20022Rail, 'takeHanded'>[], file: HandedFile): Promise<void> {
  for (const rail of files) await rail.takeHanded(file);
}
