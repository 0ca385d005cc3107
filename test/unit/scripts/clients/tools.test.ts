/** The tools of `npm run clients` are those of docs/clients.md, and their lines are read of what programs print. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { TOOLS, tableOf } from '../../../../scripts/clients/tools.ts';
import { failureOf, lineOf } from '../../../../scripts/clients/try-tool.ts';

const fileAt = (path: string) => new URL(`../../../../${path}`, import.meta.url);

test('docs/clients.md has the table that the tools make: npm run clients -- --table', () => {
  const page = readFileSync(fileAt('docs/clients.md'), 'utf8');
  expect(page.split('\n').filter((line) => line.startsWith('|'))).toEqual(tableOf(TOOLS).split('\n'));
});

test('a tool installs the versions that it names, and has its program', () => {
  const names = TOOLS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { tool, steps, program } of TOOLS) {
    const words = steps.flatMap((one) => one.words).join(' ');
    for (const [version] of tool.matchAll(/\d+\.\d+\.\d+/g)) expect(words, tool).toContain(version);
    if (program) expect(existsSync(fileAt(`scripts/clients/programs/${program.file}`)), tool).toBe(true);
  }
});

test.each`
  pays        | nulls            | newer           | variant         | line
  ${'paid'}   | ${'None,None'}   | ${'parked'}     | ${'satellite'}  | ${'pays; null is read; a newer value is read; a new variant is read'}
  ${'paid'}   | ${'<nil>,<nil>'} | ${'parked'}     | ${'ValueError'} | ${'pays; null is read; a newer value is read; a new variant is a `ValueError`'}
  ${'failed'} | ${'null,{}'}     | ${'ErrorClass'} | ${'satellite'}  | ${'does not pay: failed; null is read as null,{}; a newer value is an `ErrorClass`; a new variant is read'}
`('a program that prints $pays, $nulls, $newer and $variant has its line', ({ pays, nulls, newer, variant, line }) => {
  expect(lineOf(`A warning.\npays=${pays}\nnulls=${nulls}\nnewer=${newer}\nvariant=${variant}\n`)).toBe(line);
});

test.each`
  known              | line
  ${'missing field'} | ${'does not compile: "missing field"'}
  ${'another'}       | ${'compile fails: two / three / error: missing field `type`'}
  ${undefined}       | ${'compile fails: two / three / error: missing field `type`'}
`('a step that fails where $known is known has its line', ({ known, line }) => {
  expect(failureOf('compile', 'one\ntwo\nthree\nerror: missing field `type`\n', known)).toBe(line);
});
