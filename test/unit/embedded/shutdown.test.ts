import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';

/** Runs a small process that shuts down as `npm start` does. */
function run(script: string) {
  const child = spawn(
    process.execPath,
    [
      '--import',
      'tsx',
      '--input-type=module',
      '-e',
      `const { createShutdown } = await import('./src/embedded/shutdown.ts'); const shutdown = createShutdown(); ${script}`,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let out = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.on('data', (chunk) => (out += chunk));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const says = (words: RegExp) => eventually(() => expect(out).toMatch(words));
  return { child, ended, says, out: () => out };
}

const STAY = `setInterval(() => {}, 1000); console.log('up');`;

test('parts are closed in reverse order, and the process exits with 0', async () => {
  const process = run(
    `for (const name of ['one', 'two', 'three']) shutdown.add(name, async () => console.log('close', name)); ${STAY}`,
  );
  await process.says(/up/);
  process.child.kill('SIGTERM');
  expect(await process.ended).toBe(0);
  expect(process.out()).toMatch(/close three\nclose two\nclose one\n$/);
});

test('a part that cannot be closed does not stop the others, and sets the exit code', async () => {
  const process = run(
    `shutdown.add('one', async () => console.log('close one')); shutdown.add('two', async () => { throw new Error('broken'); }); ${STAY}`,
  );
  await process.says(/up/);
  process.child.kill('SIGINT');
  expect(await process.ended).toBe(1);
  expect(process.out()).toMatch(/two: not closed properly[\s\S]*broken[\s\S]*close one\n$/);
});

test('a second Ctrl-C only forces what must be done', async () => {
  const process = run(
    `shutdown.onForce(async () => console.log('forced')); shutdown.add('slow', () => new Promise(() => {})); ${STAY}`,
  );
  await process.says(/up/);
  process.child.kill('SIGINT');
  await process.says(/Stopping: finishing/);
  // npm repeats one Ctrl-C several times at once. A person's second comes later.
  process.child.kill('SIGINT');
  const again = setInterval(() => process.child.kill('SIGINT'), 50);
  const code = await process.ended;
  clearInterval(again);
  expect(code).toBe(130);
  expect(process.out()).toMatch(/Stopping at once\.[\s\S]*forced\n$/);
});

test('a signal during the start waits for the current step, and closes what it started', async () => {
  const process = run(`
    let go; const step = new Promise((resolve) => { go = resolve; });
    shutdown.start(async () => {
      ${STAY}
      await step;
      shutdown.add('late', async () => console.log('close late'));
      console.log('never');
    }).catch((error) => console.log(error.name));
    setInterval(() => shutdown.running && go(), 10);`);
  await process.says(/up/);
  process.child.kill('SIGINT');
  expect(await process.ended).toBe(0);
  expect(process.out()).toMatch(/StoppedWhileStarting\nclose late\n$/);
});
