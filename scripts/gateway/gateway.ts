/**
 * `npm run gateway`: the reference gateway, a partner for trials of the http acquirer, processor and rail (docs/partners.md). Accepts the
 * published test numbers, shows its pages to payers, makes cards, and sends its notices to the API. Ctrl-C ends it, and its records
 * are lost.
 */
import { Command, InvalidArgumentError } from 'commander';
import { createSigningKey, newSecret } from '../../src/values/standard-webhooks.ts';
import { outliveReaders } from '../run-directly.ts';
import { CREDITS_PATH } from './credits.ts';
import { startGateway } from './server.ts';

const program = new Command()
  .name('npm run gateway --')
  .description('Plays a partner’s gateway for the http acquirer, processor and rail. Ctrl-C ends it.')
  .option('--port <n>', 'where to listen on 127.0.0.1; 0 picks a free port', parsePort, 0)
  .option('--secret <secret>', 'whsec_… shared with the API (…_HTTP_SECRETS); without it, a new one', parseSecret)
  .option('--api <url>', 'the API, for notices', 'http://127.0.0.1:8080')
  .option('--name <name>', 'ACQUIRER_HTTP_NAME', 'gateway')
  .option('--processor <name>', 'PROCESSOR_HTTP_NAME', 'card_gateway')
  .option('--rail <name>', 'RAIL_HTTP_NAME', 'payout_gateway')
  .parse();
outliveReaders();
const options = program.opts<{
  port: number;
  secret?: string;
  api: string;
  name: string;
  processor: string;
  rail: string;
}>();
const { port, secret, api, name, processor, rail } = options;

const shared = secret ?? newSecret();
const noticesUrlOf = (partner: string) => `${api.replace(/\/+$/, '')}/partners/${partner}/notices`;
const [noticesUrl, cardNoticesUrl, payoutNoticesUrl] = [name, processor, rail].map(noticesUrlOf);
const gateway = await startGateway({ port, secrets: [shared], noticesUrl, cardNoticesUrl, payoutNoticesUrl });
const settingsOf = (party: string, partner: string) => [
  `${party}_HTTP_NAME=${partner}`,
  `${party}_HTTP_URL=${gateway.url}`,
  `${party}_HTTP_SECRETS=${shared}`,
  `${party}_HTTP_MODE=live`,
];
console.log(
  [
    'Start the API and its workers with these, for payments, for cards, for payouts, or for all:',
    ...settingsOf('ACQUIRER', name),
    ...settingsOf('PROCESSOR', processor),
    ...settingsOf('RAIL', rail),
    `RAIL_HTTP_TOKENS_OF=${name},${processor}`,
    `Money arrives by: curl -d '{"amount": 50000, "currency": "JOD", "remittance": "RF…"}' ${gateway.url}${CREDITS_PATH}`,
    `Notices go to ${noticesUrl}, ${cardNoticesUrl} and ${payoutNoticesUrl}. Ctrl-C ends it.`,
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
