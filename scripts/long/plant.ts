/** Plants a defect in a tree: one edit of one text. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Defect } from './defects.ts';

/** The file with the defect. Throws where the file does not have its text once: the code has changed, and the defect has to follow. */
export function planted(
  text: string,
  { kind, file, find, replace }: Pick<Defect, 'kind' | 'file' | 'find' | 'replace'>,
): string {
  const times = text.split(find).length - 1;
  if (times !== 1) throw new Error(`${kind}: ${file} has this ${times} times, not once: ${find}`);
  return text.replace(find, () => replace);
}

/** Plants it, does the work, and takes it back. */
export async function withPlanted<Result>(root: string, defect: Defect, work: () => Promise<Result>): Promise<Result> {
  const path = join(root, defect.file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, planted(text, defect));
  try {
    return await work();
  } finally {
    writeFileSync(path, text);
  }
}
