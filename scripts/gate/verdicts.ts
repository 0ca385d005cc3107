/** The verdicts of several runs of the gate on one commit. Pure. */

export interface GateRun {
  /** From 1. */
  readonly run: number;
  readonly beside: 'load' | 'nothing';
  readonly passed: boolean;
  readonly seconds: number;
  /** The last line of the gate: "6,926 passed, 0 failed". */
  readonly verdict: string;
  /** Names of what failed. */
  readonly failed: readonly string[];
}

/** Every second run is beside load, the first one is not. */
export function besideOf(run: number): GateRun['beside'] {
  return run % 2 === 0 ? 'load' : 'nothing';
}

/** The verdict at the end of a log. */
export function readGateLog(log: string): Pick<GateRun, 'verdict' | 'failed'> {
  const lines = log.trimEnd().split('\n');
  const verdict = lines.findLast((line) => /^\d+ passed, \d+ failed$/.test(line));
  const failed = lines.filter((line) => line.startsWith('FAILED: ')).map((line) => line.slice('FAILED: '.length));
  return { verdict: verdict ?? 'ended without a verdict', failed: [...new Set(failed)] };
}

/** Green, and of the same number of checks each time: a gate that counts others each time is no function of the commit. */
export function allAgree(runs: readonly GateRun[]): boolean {
  return runs.length > 0 && runs.every(({ passed, verdict }) => passed && verdict === runs[0]!.verdict);
}

/** Lines of a table, with the names that failed below their run. */
export function tableOf(runs: readonly GateRun[]): string[] {
  const line = (cells: readonly string[]) => cells.map((cell, index) => cell.padEnd([5, 9, 9, 9][index] ?? 0)).join('');
  return [
    line(['run', 'beside', 'verdict', 'seconds', 'it says']),
    ...runs.flatMap(({ run, beside, passed, seconds, verdict, failed }) => [
      line([String(run), beside, passed ? 'green' : 'red', String(seconds), verdict]),
      ...failed.map((name) => `     ${name}`),
    ]),
  ];
}
