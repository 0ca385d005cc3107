/** Runs a command with all that it prints in a file. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';

export interface LoggedCommand {
  /** The program and its arguments. */
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly log: string;
}

export interface LoggedEnd {
  readonly passed: boolean;
  readonly seconds: number;
}

/** Appends to the log. A program that is not there has not passed. */
export function runLogged({ words: [program, ...words], env, cwd, log }: LoggedCommand): Promise<LoggedEnd> {
  const began = performance.now();
  const file = openSync(log, 'a');
  return new Promise((resolve) => {
    const end = (passed: boolean) => resolve({ passed, seconds: Math.round((performance.now() - began) / 1_000) });
    const child = spawn(program!, words, {
      cwd,
      env: { ...process.env, NO_COLOR: '1', ...env },
      stdio: ['ignore', file, file],
    });
    closeSync(file);
    child.once('error', () => end(false));
    child.once('close', (status) => end(status === 0));
  });
}

/** Failures in a log: its FAILED lines, else its last lines. */
export function failuresIn(log: string, { lines }: { lines: number }): string[] {
  const all = readFileSync(log, 'utf8').trimEnd().split('\n');
  const named = all.filter((line) => /^FAILED|^\s*(\S+ )?FAIL /.test(line));
  return named.length > 0 ? [...new Set(named)].slice(0, lines) : all.slice(-lines);
}
