/** The product with the reference gateway as its http acquirer, its http processor and its http rail. */
import { type Gateway, startGateway } from '../../scripts/gateway/server.ts';
import { newSecret } from '../../src/values/standard-webhooks.ts';
import { type Product, type ProductOptions, startProduct } from './product.ts';

export const GATEWAY_NAME = 'example_gateway';
export const PROCESSOR_NAME = 'example_processor';
export const RAIL_NAME = 'example_rail';

export interface GatewayProduct {
  readonly product: Product;
  readonly gateway: Gateway;
  /** The first one of the configuration. */
  readonly secret: string;
  close(): Promise<void>;
}

export async function startWithGateway(
  options: Partial<ProductOptions> & { secrets?: readonly string[] } = {},
): Promise<GatewayProduct> {
  const { secrets = [newSecret()], environment, ...rest } = options;
  const gateway = await startGateway({ secrets: secrets.slice(0, 1) });
  const product = await startProduct({
    backend: 'postgres',
    ...rest,
    environment: {
      ACQUIRER_HTTP_NAME: GATEWAY_NAME,
      ACQUIRER_HTTP_URL: gateway.url,
      ACQUIRER_HTTP_SECRETS: secrets.join(','),
      PROCESSOR_HTTP_NAME: PROCESSOR_NAME,
      PROCESSOR_HTTP_URL: gateway.url,
      PROCESSOR_HTTP_SECRETS: secrets.join(','),
      RAIL_HTTP_NAME: RAIL_NAME,
      RAIL_HTTP_URL: gateway.url,
      RAIL_HTTP_SECRETS: secrets.join(','),
      RAIL_HTTP_TOKENS_OF: GATEWAY_NAME,
      ...environment,
    },
  });
  gateway.noticesUrl = `${product.baseUrl}/partners/${GATEWAY_NAME}/notices`;
  gateway.payoutNoticesUrl = `${product.baseUrl}/partners/${RAIL_NAME}/notices`;
  gateway.cardNoticesUrl = `${product.baseUrl}/partners/${PROCESSOR_NAME}/notices`;
  return {
    product,
    gateway,
    secret: secrets[0]!,
    async close() {
      await product.close();
      await gateway.close();
    },
  };
}
