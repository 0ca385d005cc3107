/** The reference as one book: the ledger's lists, and what each part keeps beside them. */
import type { AnyKind, Part, Request } from './part.ts';
import { ReferenceLedger, type Said } from './reference-ledger.ts';

export class ReferenceBook extends ReferenceLedger {
  readonly #parts: readonly Part[];
  readonly #kept = new Map<unknown, unknown>();

  constructor(parts: readonly Part[]) {
    super();
    this.#parts = parts;
  }

  /** What a part keeps, made when it is first asked for. */
  of<Kept>(Keeper: new (book: ReferenceBook) => Kept): Kept {
    const kept = this.#kept.get(Keeper) ?? new Keeper(this);
    this.#kept.set(Keeper, kept);
    return kept as Kept;
  }

  /** Whether the account may not be closed because of any part. */
  isKeptOpen(account: string): boolean {
    return this.#parts.some((part) => part.keepsOpen?.(this, account));
  }

  /** A request with a key is carried out once under it, and one without under its identity. One that names itself is carried out under that name. */
  carryOut(kind: AnyKind, request: Request, identity: string): Said {
    const carryOut = () => kind.expect(this, request, identity);
    const name = kind.nameOf?.(request);
    if (name !== undefined) return this.onceNamed(name, bodyOf(request), carryOut);
    if (request.key === undefined || kind.isDry?.(request)) return carryOut();
    return this.once(request.key ?? identity, bodyOf(request), carryOut);
  }
}

/** The request without its key. Two requests under one key must have equal bodies. */
export function bodyOf({ key: _, ...body }: Request): string {
  // A precondition is a header, not part of the body.
  return JSON.stringify({ ...body, ifMatch: undefined }, (_name, value) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}
