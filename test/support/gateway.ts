/** The product with the reference gateway as its http acquirer. */
import { type Gateway, startGateway } from '../../scripts/gateway/server.ts';
import { newSecret } from '../../src/values/standard-webhooks.ts';
import { type Product, type ProductOptions, startProduct } from './product.ts';

export const GATEWAY_NAME = 'example_gateway';

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
      ...environment,
    },
  });
  gateway.noticesUrl = `${product.baseUrl}/partners/${GATEWAY_NAME}/notices`;
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
