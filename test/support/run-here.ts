/**
 * Runs a command of `scripts/` within this process, as `npm run` runs it in one of its own: that takes a second or two, and
 * a test of a command runs it a dozen times. That each script also runs by itself is seen by test/e2e/scripts.test.ts.
 */
import type { Command } from 'commander';
import { vi } from 'vitest';

export interface Ran {
  readonly code: number;
  /** Standard output. */
  readonly out: string;
  /** Standard error. */
  readonly err: string;
}

class Exit extends Error {
  constructor(readonly code: number) {
    super(`exit with ${code}`);
  }
}

/** Output, environment and exit code belong to the whole process: one command at a time. */
let last: Promise<unknown> = Promise.resolve();

export function runHere(program: Command, words: readonly string[], environment: NodeJS.ProcessEnv): Promise<Ran> {
  const ran = last.then(() => runNow(program, words, environment));
  last = ran.catch(() => undefined);
  return ran;
}

async function runNow(program: Command, words: readonly string[], environment: NodeJS.ProcessEnv): Promise<Ran> {
  const [out, err] = [[] as string[], [] as string[]];
  const textTo = (said: string[]) => (text: unknown) => said.push(String(text)) > 0;
  const lineTo = (said: string[]) => (line: unknown) => void said.push(`${line}\n`);
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(textTo(out)),
    vi.spyOn(process.stderr, 'write').mockImplementation(textTo(err)),
    vi.spyOn(console, 'log').mockImplementation(lineTo(out)),
    vi.spyOn(console, 'error').mockImplementation(lineTo(err)),
    vi.spyOn(process, 'exit').mockImplementation((code) => {
      throw new Exit(Number(code ?? 0));
    }),
  ];
  const before = { ...process.env };
  replaceEnvironment({ PATH: before.PATH, ...environment });
  process.exitCode = undefined;
  let code: number;
  try {
    await program.parseAsync([...words], { from: 'user' });
    code = Number(process.exitCode ?? 0);
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    code = error.code;
  } finally {
    for (const spy of spies) spy.mockRestore();
    replaceEnvironment(before);
    process.exitCode = undefined;
  }
  return { code, out: out.join(''), err: err.join('') };
}

function replaceEnvironment(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  for (const [name, value] of Object.entries(environment)) if (value !== undefined) process.env[name] = value;
}
