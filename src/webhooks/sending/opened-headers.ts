/** The custom headers of endpoints in plain text, opened once: opening costs more than sending them. */
import type { SecretBox } from '../../db/secret-box.ts';
import { BoundedMap } from '../../values/bounded-map.ts';
import type { DeliveryEndpoint } from '../deliveries/delivery.ts';
import { headersPlace } from '../endpoints/endpoint-headers.ts';

const CACHED_MAX = 2_000;
const NONE: Readonly<Record<string, string>> = {};

export class OpenedHeaders {
  readonly #secretBox: SecretBox;
  /** By endpoint and sealed form: a change needs no invalidation. */
  readonly #opened = new BoundedMap<string, Readonly<Record<string, string>>>(CACHED_MAX);

  constructor(secretBox: SecretBox) {
    this.#secretBox = secretBox;
  }

  /** Under lower-case names, so that ours take their place. Throws SecretBoxError when they cannot be opened. */
  of({ bookId, id, headersSealed }: Pick<DeliveryEndpoint, 'bookId' | 'id' | 'headersSealed'>) {
    if (!headersSealed) return NONE;
    const name = `${bookId} ${id} ${headersSealed.toString('latin1')}`;
    const known = this.#opened.get(name);
    if (known) return known;
    const given = JSON.parse(this.#secretBox.open(headersSealed, headersPlace(bookId, id))) as Record<string, string>;
    const headers = Object.fromEntries(Object.entries(given).map(([key, value]) => [key.toLowerCase(), value]));
    this.#opened.set(name, headers);
    return headers;
  }
}
