/** A product whose installation is contracted to this release. */
import { migrate } from '../../src/db/migrate.ts';
import { RIGHTS } from '../../src/groups.ts';
import { createLogger } from '../../src/process/log.ts';
import { type Product, type ProductOptions, startProduct } from './product.ts';

export async function startContracted(options: ProductOptions): Promise<Product> {
  const product = await startProduct(options);
  await contractOf(product);
  return product;
}

export async function contractOf({ database, runtime }: Product): Promise<void> {
  await migrate({ rights: RIGHTS, ...database, log: createLogger('silent', 'test'), contract: { watchMs: 0 } });
  await runtime.readInstallation();
}
