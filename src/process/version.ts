/**
 * The version of this code, and how connections name it. Versions N and N−1 run on one database together. The stored
 * forms of N are written once no earlier version is connected (db/contract.ts), and a connection's name contains its
 * version.
 */

/** The version that this code becomes. */
export const VERSION = '0.4.0';
/** The version whose processes may run beside this one's, and whose stored forms this one reads. */
export const VERSION_BEFORE = '0.3.0';

/** A connection's name in pg_stat_activity: `countinghouse-worker ledger` is `countinghouse-worker 0.4.0 ledger`. */
export function connectionName(name: string): string {
  // After the first word: Postgres cuts names off at 63 bytes.
  return name.replace(/^\S+/, (program) => `${program} ${VERSION}`);
}

/** The version that a connection names; undefined for other programs. */
export function versionOfConnection(name: string): string | undefined {
  return /^\S+ (\d+\.\d+\.\d+)(?: |$)/.exec(name)?.[1];
}

/** Whether one version came before another. Both are three numbers. */
export function isEarlierVersion(version: string, than: string): boolean {
  const [one, other] = [version, than].map((text) => text.split('.').map(Number));
  const at = one!.findIndex((number, index) => number !== other![index]);
  return at !== -1 && one![at]! < other![at]!;
}
