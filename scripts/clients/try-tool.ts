/** Installs a generator, makes a client with it, and runs its program against the product. */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runLogged } from '../harness/logged-command.ts';
import { NEW_VARIANT, NEWER_STATUS } from './later-version.ts';
import type { Step, Tool } from './tool.ts';

const PROGRAMS = join(import.meta.dirname, 'programs');

export interface Trial {
  /** Has a folder for each tool. */
  readonly folder: string;
  readonly document: string;
  /** The environment of programs. */
  readonly access: Readonly<Record<string, string>>;
}

/** Resolves to the line of the tool. What its commands print is in `log`, in the tool's folder. */
export async function tryTool(tool: Tool, { folder, document, access }: Trial): Promise<string> {
  const own = join(folder, tool.name);
  const log = join(own, 'log');
  const output = join(own, 'output');
  mkdirSync(own, { recursive: true });
  for (const file of [log, output]) rmSync(file, { force: true });
  const files = {
    ...tool.files,
    'openapi.json': tool.withoutDiscriminator ? withoutDiscriminator(document) : document,
  };
  for (const [path, text] of Object.entries(files)) write(join(own, path), text);
  if (tool.program) {
    const to = join(own, tool.program.to);
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(join(PROGRAMS, tool.program.file), to);
  }
  for (const { does, words, env } of tool.steps) {
    const into = does === 'run' ? output : log;
    const { passed } = await runLogged({ words, cwd: own, log: into, env: { ...access, ...env } });
    if (!passed) return failureOf(does, readFileSync(into, 'utf8'), tool.fails);
  }
  return tool.program ? lineOf(readFileSync(output, 'utf8')) : 'generates; not compiled';
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** The second form of the document in docs/clients.md. */
function withoutDiscriminator(document: string): string {
  return JSON.stringify(JSON.parse(document, (name, value) => (name === 'discriminator' ? undefined : value)));
}

const FAILURES: Readonly<Record<Step['does'], string>> = {
  install: 'cannot be installed',
  generate: 'does not generate',
  compile: 'does not compile',
  run: 'compiles, and fails',
};

/** Where the log has the message with which the step is known to fail, that message. */
export function failureOf(does: Step['does'], log: string, known: string | undefined): string {
  if (known !== undefined && log.includes(known)) return `${FAILURES[does]}: "${known}"`;
  const last = log.trimEnd().split('\n').slice(-3).join(' / ');
  return `${does} fails: ${last}`;
}

/** The line of a program that came to its end, of what it printed: `pays=`, `nulls=`, `newer=`, `variant=`. */
export function lineOf(output: string): string {
  const printed = Object.fromEntries([...output.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value!]));
  const { pays = '', nulls = '', newer = '', variant = '' } = printed;
  const isNull = /^(null|None|<nil>),(null|None|<nil>)$/.test(nulls);
  return [
    pays === 'paid' ? 'pays' : `does not pay: ${pays}`,
    isNull ? 'null is read' : `null is read as ${nulls}`,
    newer === NEWER_STATUS ? 'a newer value is read' : `a newer value is ${named(newer)}`,
    `a new variant is ${variant.startsWith(NEW_VARIANT) ? variant.replace(NEW_VARIANT, 'read') : named(variant)}`,
  ].join('; ');
}

function named(name: string): string {
  return `${/^[AEIOU]/.test(name) ? 'an' : 'a'} \`${name}\``;
}
