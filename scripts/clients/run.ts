/**
 * `npm run clients`: clients of several languages, generated from the document of the running product, pay with it (docs/clients.md). Exits 0
 * when each tool comes to its line of that table, else 1. Installs generators from the registries of their languages, in a temporary folder.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { isOnPath } from '../harness/programs.ts';
import { say } from '../harness/progress.ts';
import { runDirectly } from '../run-directly.ts';
import { startLaterVersion } from './later-version.ts';
import { startSandbox } from './sandbox.ts';
import type { Tool } from './tool.ts';
import { TOOLS, tableOf } from './tools.ts';
import { type Trial, tryTool } from './try-tool.ts';

interface Flags {
  only?: string[];
  folder?: string;
  list?: boolean;
  table?: boolean;
  json?: boolean;
}

interface Line {
  readonly name: string;
  readonly tool: string;
  readonly line: string;
  readonly asExpected: boolean;
}

async function main({ only, folder, list, table, json }: Flags): Promise<void> {
  const tools = only ? TOOLS.filter(({ name }) => only.includes(name)) : TOOLS;
  if (table) return console.log(tableOf(tools));
  if (list) return printList(tools, json);
  const place = folder ? resolve(folder) : mkdtempSync(join(tmpdir(), 'countinghouse-clients-'));
  mkdirSync(place, { recursive: true });
  // Root's Postgres runs as another account, which passes through this folder.
  chmodSync(place, 0o755);
  const lines = await tryAll(tools, place);
  const isGood = lines.length > 0 && lines.every(({ asExpected }) => asExpected);
  if (json) console.log(JSON.stringify(lines));
  else
    for (const { name, tool, line, asExpected } of lines)
      console.log(`${asExpected ? 'ok' : 'FAILED'}: ${name} (${tool}): ${line}`);
  if (isGood && !folder) rmSync(place, { recursive: true, force: true });
  else say(`what was installed, and logs, in ${place}`);
  process.exitCode = isGood ? 0 : 1;
}

async function tryAll(tools: readonly Tool[], folder: string): Promise<Line[]> {
  const sandbox = await startSandbox(join(folder, 'data'));
  const later = await startLaterVersion(sandbox.access.API_URL);
  try {
    const document = await (await fetch(`${sandbox.access.API_URL}/openapi.json`)).text();
    const trial: Trial = { folder, document, access: { ...sandbox.access, ...later.urls } };
    const lines: Line[] = [];
    for (const tool of tools) {
      const { name, expected } = tool;
      const missing = tool.programs.filter((program) => !isOnPath(program));
      const line =
        missing.length > 0 ? `not tried: ${missing.join(', ')} is not installed` : await tryTool(tool, trial);
      say(`${name}: ${line}`);
      lines.push({ name, tool: tool.tool, line, asExpected: line === expected });
    }
    return lines;
  } finally {
    await later.close();
    await sandbox.close();
  }
}

function printList(tools: readonly Tool[], json = false): void {
  if (json)
    console.log(
      JSON.stringify(tools.map(({ name, language, tool, expected }) => ({ name, language, tool, expected }))),
    );
  else for (const { name, language, tool } of tools) console.log(`${name.padEnd(36)} ${language}: ${tool}`);
}

function named(name: string, before: string[] = []): string[] {
  if (TOOLS.some((tool) => tool.name === name)) return [...before, name];
  throw new InvalidArgumentError('There is no such tool; --list names them.');
}

const program = new Command('npm run clients --')
  .description('Generates clients of several languages from the document of the running product, and pays with each.')
  .option('--only <name...>', 'these alone (--list names them)', named)
  .option('--folder <path>', 'keeps what is installed there, for the next run')
  .option('--json', 'print one JSON array')
  .option('--list', 'name the tools, and try none')
  .option('--table', 'print the table of docs/clients.md, and try none')
  .showHelpAfterError()
  .action(main);

await runDirectly(import.meta, program);
