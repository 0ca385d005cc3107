/** What several runs of the gate say of one commit. Pure. */

export interface GateRun {
  /** From 1. */
  readonly run: number;
  readonly beside: 'load' | 'nothing';
  readonly passed: boolean;
  readonly seconds: number;
  /** The last line of the gate: "6,926 passed, 0 failed". */
  readonly says: string;
  /** Names of what failed. */
  readonly failed: readonly string[];
}

/** Every second run is beside load, the first one is not. */
export function besideOf(run: number): GateRun['beside'] {
  return run % 2 === 0 ? 'load' : 'nothing';
}

/** What the log of a gate says at its end. */
export function readGateLog(log: string): Pick<GateRun, 'says' | 'failed'> {
  const lines = log.trimEnd().split('\n');
  const says = lines.findLast((line) => /^\d+ passed, \d+ failed$/.test(line));
  const failed = lines.filter((line) => line.startsWith('FAILED: ')).map((line) => line.slice('FAILED: '.length));
  return { says: says ?? 'ended without a verdict', failed: [...new Set(failed)] };
}

/** Green, and of the same number of checks each time: a gate that counts others each time is no function of the commit. */
export function allAgree(runs: readonly GateRun[]): boolean {
  return runs.length > 0 && runs.every(({ passed, says }) => passed && says === runs[0]!.says);
}

/** Lines of a table, with the names that failed below their run. */
export function tableOf(runs: readonly GateRun[]): string[] {
  const line = (cells: readonly string[]) => cells.map((cell, index) => cell.padEnd([5, 9, 9, 9][index] ?? 0)).join('');
  return [
    line(['run', 'beside', 'verdict', 'seconds', 'it says']),
    ...runs.flatMap(({ run, beside, passed, seconds, says, failed }) => [
      line([String(run), beside, passed ? 'green' : 'red', String(seconds), says]),
      ...failed.map((name) => `     ${name}`),
    ]),
  ];
}
