/** Names of the reference, and the ids that the real ledger gave to their objects. */

import { type ChartCode, chartAccountId } from '../../src/ledger/account/chart.ts';
import { newId, type Uuid } from '../../src/values/ids.ts';

export const CURRENCIES = ['EUR', 'JOD'] as const;

export class Names {
  readonly #ids = new Map<string, Uuid>();
  readonly #names = new Map<Uuid, string>();

  /** `chartCodes` are those of the chart accounts that entries use. */
  constructor(bookId: Uuid, chartCodes: readonly ChartCode[]) {
    for (const currency of CURRENCIES)
      for (const code of chartCodes) this.bind(`${code} ${currency}`, chartAccountId(bookId, code, currency));
  }

  /** Throws when the name or the id is already bound to another. */
  bind(name: string, id: Uuid): void {
    const [known, named] = [this.#ids.get(name), this.#names.get(id)];
    if ((known ?? id) !== id || (named ?? name) !== name) throw new Error(`${name} is ${known}, ${id} is ${named}`);
    this.#ids.set(name, id);
    this.#names.set(id, name);
  }

  /** An unknown name gets a new, unknown id. */
  idOf(name: string): Uuid {
    const known = this.#ids.get(name);
    if (known) return known;
    const id = newId();
    this.bind(name, id);
    return id;
  }

  nameOf(id: Uuid): string {
    return this.#names.get(id) ?? id;
  }
}
