/**
 * The releases made so far, oldest first, from releases.json at the root. The file names their commits because tags do
 * not travel with every clone. Every release adds its line (CONTRIBUTING.md).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Release {
  /** The version in package.json of that commit: `0.1.0`. */
  readonly version: string;
  /** All 40 digits. */
  readonly commit: string;
}

const FILE = join(import.meta.dirname, '../releases.json');

export function readReleases(): readonly Release[] {
  return (JSON.parse(readFileSync(FILE, 'utf8')) as { releases: Release[] }).releases;
}
