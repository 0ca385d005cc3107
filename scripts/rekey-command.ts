/** `npm run ops -- rekey`: brings stored values to the current encryption key and form, and reports the remaining ones. */
import type { Command } from 'commander';
import type { Pool } from '../src/db/pool.ts';
import { encryptionKeyId } from '../src/db/secret-box.ts';
import { DECLARED_TABLES } from '../src/groups.ts';
import { type RekeyCount, type RekeyResult, rekey } from '../src/operations/rekey.ts';

type WithDatabase = (work: (pool: Pool, environment: NodeJS.ProcessEnv) => Promise<void>) => Promise<void>;

interface KeyView {
  id: string;
  /** `missing`: values need the key, and it is not configured. */
  standing: 'current' | 'old' | 'missing';
  values: number;
}

/** Between two lines of progress. */
const PROGRESS_MS = 1_000;

export function addRekey(
  program: Command,
  { withDatabase, tableOf }: { withDatabase: WithDatabase; tableOf(rows: readonly Record<string, unknown>[]): string },
): void {
  program
    .command('rekey')
    .description('seal secrets anew under COUNTINGHOUSE_ENCRYPTION_KEY, in their last form')
    .option('--json', 'print one JSON object')
    .action(({ json }: { json?: boolean }) =>
      withDatabase(async (pool, environment) => {
        const { encryptionKey, oldEncryptionKeys } = encryptionKeysOf(environment);
        const onProgress = progress();
        const result = await rekey({
          pool,
          tables: DECLARED_TABLES,
          encryptionKey,
          oldEncryptionKeys,
          onProgress,
        });
        const keys = viewOfKeys(result, { encryptionKey, oldEncryptionKeys });
        if (json) console.log(JSON.stringify({ ...result.counts, keys }));
        else console.log(textOf(result, keys, tableOf));
        if (!isDone(result)) process.exitCode = 1;
      }),
    );
}

/** Throws where the key is not set. */
export function encryptionKeysOf(environment: NodeJS.ProcessEnv) {
  const encryptionKey = environment.COUNTINGHOUSE_ENCRYPTION_KEY;
  if (!encryptionKey) throw new Error('COUNTINGHOUSE_ENCRYPTION_KEY is not set; it expects the key of the product.');
  const oldEncryptionKeys = (environment.COUNTINGHOUSE_ENCRYPTION_KEYS_OLD ?? '').split(',').filter(Boolean);
  return { encryptionKey, oldEncryptionKeys };
}

/** Progress goes to standard error, so that a script reads the result alone. */
function progress(): (counts: Readonly<Record<string, RekeyCount>>) => void {
  let shownAt = performance.now();
  return (counts) => {
    if (performance.now() - shownAt < PROGRESS_MS) return;
    shownAt = performance.now();
    const parts = Object.entries(counts).filter(([, { found }]) => found > 0);
    console.error(parts.map(([part, { found, changed }]) => `${part} ${found} read, ${changed} changed`).join('; '));
  };
}

function viewOfKeys(
  { keys }: RekeyResult,
  { encryptionKey, oldEncryptionKeys }: { encryptionKey: string; oldEncryptionKeys: readonly string[] },
): KeyView[] {
  const current = encryptionKeyId(encryptionKey);
  const old = oldEncryptionKeys.map(encryptionKeyId).filter((id) => id !== current);
  const missing = [...keys.keys()].filter((id) => id !== current && !old.includes(id));
  const view = (standing: KeyView['standing']) => (id: string) => ({ id, standing, values: keys.get(id) ?? 0 });
  return [view('current')(current), ...old.map(view('old')), ...missing.map(view('missing'))];
}

function isDone({ counts }: RekeyResult): boolean {
  return Object.values(counts).every(({ remaining }) => remaining === 0);
}

function textOf(
  result: RekeyResult,
  keys: readonly KeyView[],
  tableOf: (rows: readonly Record<string, unknown>[]) => string,
): string {
  const lines = [tableOf(Object.entries(result.counts).map(([part, count]) => ({ part, ...count })))];
  for (const { id, standing, values } of keys) {
    if (standing === 'old' && values === 0)
      lines.push(`Key ${id} opens nothing here any more: no longer needed, but for backups from before.`);
    if (standing === 'old' && values > 0)
      lines.push(`Key ${id} still opens ${values}: does a process still seal with it? Run this again.`);
    if (standing === 'missing')
      lines.push(`Key ${id} is needed by ${values} and not configured: COUNTINGHOUSE_ENCRYPTION_KEYS_OLD.`);
  }
  if (!isDone(result)) lines.push('What remains did not open, or changed meanwhile: run this again.');
  return lines.join('\n');
}
