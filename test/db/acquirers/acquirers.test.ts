/** Both adapters keep to the contract: the sandbox acquirer, and the http acquirer with the reference gateway. */
import { afterAll, beforeAll } from 'vitest';
import { GATEWAY_NAME, type GatewayProduct, startWithGateway } from '../../support/gateway.ts';
import { describeAcquirer } from './conformance.ts';

let started: GatewayProduct;

beforeAll(async () => {
  started = await startWithGateway({ pools: [] });
});
afterAll(() => started?.close());

const pageOf = (answer: { challenge?: { url: string } }) => answer.challenge!.url.split('/').at(-1)!;

describeAcquirer('the sandbox acquirer', {
  acquirer: () => started.product.runtime.acquirers.sandbox,
  passChallenge: (answer, options) =>
    started.product.runtime.acquirers.sandbox.resolveChallenge(pageOf(answer), options),
});

describeAcquirer('the http acquirer', {
  acquirer: () => started.product.runtime.acquirers.get(GATEWAY_NAME),
  passChallenge: async (answer, options) => started.gateway.rules.passChallenge(pageOf(answer), options),
});
