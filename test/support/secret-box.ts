/** What seals in tests that have no product. */
import { createSecretBox } from '../../src/db/secret-box.ts';

export const TEST_SECRET_BOX = createSecretBox(Buffer.alloc(32, 7).toString('base64'));
