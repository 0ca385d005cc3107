/** `npm run gateway` says how to start the API with it, and takes signed calls alone. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { programOf } from '../../scripts/harness/programs.ts';
import { until } from '../../scripts/harness/until.ts';
import { HttpAcquirer } from '../../src/acquirers/http/http-acquirer.ts';
import type { Pool } from '../../src/db/pool.ts';
import { HttpProcessor } from '../../src/processors/http/http-processor.ts';
import { systemClock } from '../../src/values/clock.ts';
import { newId } from '../../src/values/ids.ts';

const start = (...args: string[]) => spawn(process.execPath, [...programOf('scripts/gateway/gateway.ts'), ...args]);

test('the reference gateway prints its settings, answers by them, and ends when it is told to', async () => {
  const gateway = start('--name', 'trial');
  let said = '';
  gateway.stdout.on('data', (text) => (said += text));
  const setting = (name: string, party = 'ACQUIRER') => new RegExp(`^${party}_HTTP_${name}=(.+)$`, 'm').exec(said)?.[1];
  await until(() => said.includes('Ctrl-C'));
  expect(setting('NAME')).toBe('trial');
  expect(said).toContain('http://127.0.0.1:8080/partners/trial/notices');
  const [url, secret] = [setting('URL')!, setting('SECRETS')!];

  const unsigned = await request(`${url}/instructions/inquire`, { method: 'POST', body: '{"call":"inquire"}' });
  expect([unsigned.statusCode, await unsigned.body.json()]).toMatchObject([401, { code: 'signature_invalid' }]);
  // What it tells is not read here: calls alone need no database.
  const acquirer = new HttpAcquirer({
    ...{ name: 'trial', mode: 'live', url, secrets: [secret], takesCards: true },
    ...{ pool: undefined as unknown as Pool, clock: systemClock },
  });
  expect(await acquirer.inquire(newId(), 'CH1')).toMatchObject({ status: 'not_found' });
  await acquirer.close();
  expect(setting('NAME', 'PROCESSOR')).toBe('card_gateway');
  expect(said).toContain('http://127.0.0.1:8080/partners/card_gateway/notices');
  const processor = new HttpProcessor({
    ...{ name: 'card_gateway', mode: 'live', url: setting('URL', 'PROCESSOR')! },
    ...{ secrets: [setting('SECRETS', 'PROCESSOR')!], pool: undefined as unknown as Pool, clock: systemClock },
  });
  expect(await processor.inquire(newId(), 'CH1')).toMatchObject({ status: 'not_found' });
  await processor.close();

  gateway.kill('SIGTERM');
  const [code] = await once(gateway, 'exit');
  expect(code).toBe(0);
});

test.each([
  ['--port', '70000', /port from 0 to 65535/],
  ['--secret', 'whsec_short', /whsec_ and base64 of 24 to 64 bytes/],
] as const)('%s %s is refused with what is expected', async (option, value, words) => {
  const gateway = start(option, value);
  let said = '';
  gateway.stderr.on('data', (text) => (said += text));
  const [code] = await once(gateway, 'close');
  expect(code).toBe(1);
  expect(said).toMatch(words);
});
