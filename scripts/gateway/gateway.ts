/**
 * `npm run gateway`: the reference gateway, a partner for trials of the http acquirer (docs/partners.md). Takes the published test
 * numbers, shows its pages to payers, and sends its notices to the API. Ctrl-C ends it, and it forgets all.
 */
import { Command, InvalidArgumentError } from 'commander';
import { createSigningKey, newSecret } from '../../src/values/standard-webhooks.ts';
import { startGateway } from './server.ts';

const program = new Command()
  .name('npm run gateway --')
  .description('Plays a partner’s gateway for the http acquirer. Ctrl-C ends it.')
  .option('--port <n>', 'where to listen on 127.0.0.1; 0 picks a free port', parsePort, 0)
  .option(
    '--secret <secret>',
    'whsec_… shared with the API (ACQUIRER_HTTP_SECRETS); without it, a new one',
    parseSecret,
  )
  .option('--api <url>', 'the API, for notices', 'http://127.0.0.1:8080')
  .option('--name <name>', 'ACQUIRER_HTTP_NAME', 'gateway')
  .parse();
const { port, secret, api, name } = program.opts<{ port: number; secret?: string; api: string; name: string }>();

const shared = secret ?? newSecret();
const noticesUrl = `${api.replace(/\/+$/, '')}/partners/${name}/notices`;
const gateway = await startGateway({ port, secrets: [shared], noticesUrl });
console.log(
  [
    'Start the API and its workers with:',
    `ACQUIRER_HTTP_NAME=${name}`,
    `ACQUIRER_HTTP_URL=${gateway.url}`,
    `ACQUIRER_HTTP_SECRETS=${shared}`,
    'ACQUIRER_HTTP_MODE=live',
    `Notices go to ${noticesUrl}. Ctrl-C ends it.`,
  ].join('\n'),
);
process.once('SIGINT', () => void gateway.close());
process.once('SIGTERM', () => void gateway.close());

function parsePort(text: string): number {
  const parsed = Number(text);
  if (!Number.isInteger(parsed) || parsed < 0 || parsed > 65_535)
    throw new InvalidArgumentError('Expects a port from 0 to 65535.');
  return parsed;
}

function parseSecret(text: string): string {
  try {
    createSigningKey(text);
    return text;
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
