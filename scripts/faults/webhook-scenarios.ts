/** Receivers that misbehave: each gets its events in the end, under the same ids, and delays no other receiver. */
import { parsePublicId } from '../../src/values/ids.ts';
import { type Endpoint, succeeded } from '../harness/client.ts';
import { countAttempts, longestAnswerBytes } from '../harness/database-store.ts';
import { answerWithoutTls, drip, type RawServer, startRawServer } from '../harness/raw-server.ts';
import { type AnswerWith, pathOf } from '../harness/receiver.ts';
import { expectThat, type Play, type Scenario, untilThat } from './scenario.ts';

/** Few enough that a receiver which times out slowly does not delay a scenario for minutes. */
const EVENTS = ['payout.failed', 'payout.returned'];
const FLOOD_BYTES = 4_000_000;
/** Most bytes of an answer that the product stores (docs: 4 KB). */
const KEPT_BYTES = 4 * 1_024;

const untilTried = ({ stage }: Play, endpoint: Endpoint, ended: string) =>
  untilThat(`a try that ended with ${ended}`, async () =>
    (await countAttempts(stage.behind, parsePublicId('webhookEndpoint', endpoint.id)!)).has(ended),
  );

/** Adds an endpoint that fails until it is cured, and gets every event afterwards. */
function ill(
  about: string,
  {
    name,
    ended,
    answer,
    check,
  }: {
    name: string;
    /** How an attempt ends meanwhile. */
    ended: string;
    answer: AnswerWith;
    check?: (play: Play, endpoint: Endpoint) => Promise<void>;
  },
): Scenario {
  return {
    name: `receiver-${name}`,
    about,
    together: true,
    async play(play) {
      const { receiver, clients, endpoints } = play.stage;
      const path = `/${name}`;
      receiver.answer(path, answer);
      const endpoint = await receiver.subscribe(clients[0]!, { path, events: EVENTS });
      endpoints.add(endpoint);
      await untilTried(play, endpoint, ended);
      const arrived = receiver.at(pathOf(play.stage.endpoint)).length;
      await play.load.untilMore(30);
      expectThat(receiver.at(pathOf(play.stage.endpoint)).length > arrived, 'Another receiver waits for it');
      await check?.(play, endpoint);
      receiver.answer(path, () => ({ status: 200 }));
    },
  };
}

/** Adds an endpoint at a server that never recovers. Its owner deletes it. */
function hopeless(
  about: string,
  {
    name,
    ended,
    protocol,
    answer,
  }: {
    name: string;
    ended: string;
    protocol: 'http' | 'https';
    answer: Parameters<typeof startRawServer>[0];
  },
): Scenario {
  return {
    name: `receiver-${name}`,
    about,
    together: true,
    async play(play) {
      const [client] = play.stage.clients;
      let server: RawServer | undefined;
      try {
        server = await startRawServer(answer);
        const url = `${protocol}://127.0.0.1:${server.port}/${name}`;
        const endpoint = succeeded(await client!.post<Endpoint>('/v1/webhooks', { url, events: EVENTS }));
        await untilTried(play, endpoint, ended);
        await play.load.untilMore(20);
        const { status } = await client!.delete(`/v1/webhooks/${endpoint.id}`);
        expectThat(status < 300, `The endpoint was not deleted: ${status}`);
      } finally {
        await server?.close();
      }
    },
  };
}

export const webhookScenarios: readonly Scenario[] = [
  ill('a receiver that breaks the connection off', {
    name: 'breaks-off',
    ended: 'connection_closed',
    answer: () => undefined,
  }),
  ill('a receiver that takes the event and never answers', {
    name: 'hangs',
    ended: 'timeout',
    answer: () => new Promise(() => undefined),
  }),
  ill('a receiver that answers 500', { name: 'fails', ended: '500', answer: () => ({ status: 500 }) }),
  ill('a receiver that answers 429 with Retry-After', {
    name: 'is-busy',
    ended: '429',
    answer: () => ({ status: 429, headers: { 'retry-after': '2' } }),
  }),
  ill('a receiver that redirects to a private address: nobody goes there', {
    name: 'redirects',
    ended: 'redirect_not_followed',
    answer: ({ headers }) => ({ status: 307, headers: { location: `http://${headers.host}/private` } }),
    async check({ stage }) {
      expectThat(stage.receiver.at('/private').length === 0, 'The redirect was followed');
    },
  }),
  ill('a receiver that answers 503 with megabytes', {
    name: 'floods',
    ended: '503',
    answer: () => ({ status: 503, body: 'x'.repeat(FLOOD_BYTES) }),
    async check({ stage }, { id }) {
      const bytes = await longestAnswerBytes(stage.behind, parsePublicId('webhookEndpoint', id)!);
      expectThat(bytes <= KEPT_BYTES, `${bytes} bytes of an answer are kept`);
    },
  }),
  hopeless('a receiver that sends its answer byte by byte, and never all of it', {
    name: 'drips',
    ended: 'timeout',
    protocol: 'http',
    answer: drip,
  }),
  hopeless('a receiver that fails the TLS handshake', {
    name: 'fails-tls',
    ended: 'tls_failed_handshake',
    protocol: 'https',
    answer: answerWithoutTls,
  }),
  {
    name: 'receiver-is-gone',
    about: 'a receiver that answers 410: the endpoint is switched off, an event says so, and nothing more is sent',
    async play({ stage, load }) {
      const [client] = stage.clients;
      stage.receiver.answer('/gone', () => ({ status: 410 }));
      const { id } = await stage.receiver.subscribe(client!, { path: '/gone', events: EVENTS });
      await untilThat('the endpoint is switched off', async () => {
        return (await client!.read<Endpoint>(`/v1/webhooks/${id}`)).disabled_reason === 'gone';
      });
      await load.untilMore(10);
      const isDisabling = ({ event }: { event: { type: string } }) => event.type === 'webhook_endpoint.disabled';
      await untilThat('an event says so', () => stage.receiver.at(pathOf(stage.endpoint)).some(isDisabling));
    },
  },
];
