/** A script runs where it calls `isRunDirectly`, before a value that stands behind that line is there. Tests import it and do not see that. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SCRIPTS = join(import.meta.dirname, '../../../scripts');

const valuesBehindStart = (text: string) => {
  const [, behind = ''] = text.split(/^(?:if \(isRunDirectly\(import\.meta\)\)|await runDirectly\()/m);
  return [...behind.matchAll(/^(?:export )?(?:const|let|class) (\w+)/gm)].map(([, name]) => name);
};

test('no script has a value behind the line that starts it', () => {
  const paths = readdirSync(SCRIPTS, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const found = paths.flatMap((path) => {
    const values = valuesBehindStart(readFileSync(join(SCRIPTS, path), 'utf8'));
    return values.map((name) => `${path}: ${name}`);
  });
  expect(found).toEqual([]);
  expect(valuesBehindStart('if (isRunDirectly(import.meta)) await run();\nconst late = 1;')).toEqual(['late']);
  expect(valuesBehindStart('await runDirectly(import.meta, program);\nconst late = 1;')).toEqual(['late']);
});

test('a command whose reader has enough works on, and its exit code says what came of it', async () => {
  const script = join(import.meta.dirname, 'talking-command.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  let complaints = '';
  child.stderr.on('data', (piece: Buffer) => {
    complaints += piece.toString();
  });
  await once(child.stdout, 'data');
  child.stdout.destroy();
  const [code] = await once(child, 'close');
  expect({ code, complaints }).toEqual({ code: 4, complaints: '' });
});

/** Its reader is whom it works for: it ends with it. And one that only starts another. */
const OTHERWISE = ['listen.ts', 'model.ts'];

test('every command outlives its readers', () => {
  const paths = readdirSync(SCRIPTS, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const commands = paths.filter((path) => readFileSync(join(SCRIPTS, path), 'utf8').includes('new Command('));
  const found = commands.filter((path) => {
    const text = readFileSync(join(SCRIPTS, path), 'utf8');
    const isStarted = /^\s*\.parse\(\)|program\.parse/m.test(text);
    return isStarted && !text.includes('outliveReaders()');
  });
  expect(found.filter((path) => !OTHERWISE.includes(path) && path !== 'run-directly.ts')).toEqual([]);
  expect(commands.length).toBeGreaterThan(15);
});
