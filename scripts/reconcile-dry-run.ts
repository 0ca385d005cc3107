/** `npm run reconcile -- FILE --dry-run`: prints what would become of a file. Nothing is written. */
import type { Pool } from '../src/db/pool.ts';
import type { BankFile } from '../src/reconciliation/runs/import-file.ts';
import { rehearsalView, rehearseFile } from '../src/reconciliation/runs/rehearse-file.ts';
import { toJson } from '../src/values/json.ts';

/** Resolves to whether nothing would be left to a person. */
export async function dryRun(
  pool: Pool,
  file: BankFile,
  { json, livemode }: { readonly json: true | undefined; readonly livemode: boolean },
): Promise<boolean> {
  const rehearsal = await rehearseFile(pool, file);
  const { judged, matches, ok } = rehearsal;
  if (json) {
    // All verdicts, with what was found about each.
    console.log(toJson({ ...rehearsalView(file, rehearsal, livemode), id: null, verdicts: judged }));
    return ok;
  }
  for (const { account, number, verdict, lines, findings } of judged) {
    console.log(`${account}${number === null ? '' : `, statement ${number}`}: ${verdict}, ${lines} lines`);
    for (const { code, place, detail } of findings)
      console.log(`  ${code}${place === null ? '' : `, line ${place}`}: ${detail}`);
  }
  for (const { rule, lines } of matches.byRule) console.log(`${lines} lines would match by ${rule}.`);
  for (const { kind, lines } of matches.left) console.log(`${lines} lines would be left: ${kind}.`);
  if (matches.beyond > 0) console.log(`${matches.beyond} further lines were not looked at.`);
  console.log('Nothing was written.');
  return ok;
}
