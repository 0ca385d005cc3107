/**
 * The release that this code is, and how its connections name it. Releases N and N−1 share a database; the stored forms of
 * N are written once nothing earlier is connected (db/contract.ts), and a connection says what it is by its name.
 */

/** The release that this code becomes. Release 0.1.0 does not name itself. */
export const RELEASE = '0.2.0';

/** The name of a connection, shown in pg_stat_activity: `countinghouse-worker ledger` is `countinghouse-worker 0.2.0 ledger`. */
export function connectionName(name: string): string {
  // After the first word: Postgres cuts names off at 63 bytes.
  return name.replace(/^\S+/, (program) => `${program} ${RELEASE}`);
}

/** The release that a connection names; undefined for 0.1.0, and for what is not ours. */
export function releaseOfConnection(name: string): string | undefined {
  return /^\S+ (\d+\.\d+\.\d+)(?: |$)/.exec(name)?.[1];
}

/** Whether one release came before another. Both are three numbers. */
export function isEarlierRelease(release: string, than: string): boolean {
  const [one, other] = [release, than].map((text) => text.split('.').map(Number));
  const at = one!.findIndex((number, index) => number !== other![index]);
  return at !== -1 && one![at]! < other![at]!;
}
