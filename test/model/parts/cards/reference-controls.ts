/** The reference's controls: versions of a card, an account or the program, and which of them are in force. */
import type { ReferenceBook } from '../../reference-book.ts';
import { refused, type Said } from '../../reference-ledger.ts';
import { type Content, type Enforced, SCOPES, type Scope, type ScopeInForce } from './purchase-limits.ts';

export interface ReferenceVersion {
  readonly name: string;
  readonly scope: Scope;
  readonly subject: string;
  readonly ordinal: number;
  readonly content: Content;
  status: 'draft' | 'shadow' | 'active' | 'retired';
  /** How many events the book had once it was in force. */
  behind: number | null;
  version: number;
}

export interface MakeControls {
  readonly scope: Scope;
  readonly subject: string;
  readonly content: Content;
  readonly status: 'draft' | 'shadow' | 'active';
}

export type ControlsAction = 'shadow' | 'activate' | 'retire';

export interface ActOnControls {
  readonly controls: string;
  readonly action: ControlsAction;
  readonly ifMatch?: number;
}

const ALLOWED: Readonly<Record<ReferenceVersion['status'], readonly ControlsAction[]>> = {
  draft: ['shadow', 'activate', 'retire'],
  shadow: ['activate', 'retire'],
  active: ['retire'],
  retired: [],
};

export class ReferenceControls {
  readonly #book: ReferenceBook;
  readonly all: ReferenceVersion[] = [];

  constructor(book: ReferenceBook) {
    this.#book = book;
  }

  named(name: string): ReferenceVersion {
    return this.all.find((version) => version.name === name)!;
  }

  of(subject: string): readonly ReferenceVersion[] {
    return this.all.filter((version) => version.subject === subject);
  }

  inForce(subjects: Readonly<Record<Scope, string>>): ScopeInForce[] {
    return SCOPES.map((scope) => {
      const subject = subjects[scope];
      return { scope, subject, active: this.enforced(subject, 'active'), shadow: this.enforced(subject, 'shadow') };
    });
  }

  enforced(subject: string, status: 'active' | 'shadow'): Enforced | null {
    const found = this.of(subject).find((version) => version.status === status);
    return found ? { name: found.name, content: found.content, behind: found.behind! } : null;
  }

  make({ scope, subject, content, status }: MakeControls): Said {
    const name = `controls ${this.all.length + 1}`;
    const ordinal = this.of(subject).length + 1;
    const version: ReferenceVersion = {
      ...{ name, scope, subject, ordinal, content, status: 'draft', behind: null, version: 1 },
    };
    this.all.push(version);
    this.#book.tell('card_controls.created', name, 1);
    if (status !== 'draft') this.#enforce(version, status);
    return { status: 201, resource: name };
  }

  act({ controls, action, ifMatch }: ActOnControls): Said {
    const version = this.named(controls);
    if (ifMatch !== undefined && ifMatch !== version.version) return refused('version_mismatch');
    if (!ALLOWED[version.status].includes(action)) return refused('state_conflict');
    if (action === 'retire') {
      this.#become(version, 'retired', 'retired');
      return { status: 200, resource: controls };
    }
    const isOlder = this.of(version.subject).some((one) => one.status === 'active' && one.ordinal > version.ordinal);
    if (isOlder) return refused('version_mismatch');
    this.#enforce(version, action === 'shadow' ? 'shadow' : 'active');
    return { status: 200, resource: controls };
  }

  /** In the place of the one that was there. */
  #enforce(version: ReferenceVersion, status: 'shadow' | 'active'): void {
    const replaced = this.of(version.subject).find((one) => one.status === status);
    if (replaced) this.#become(replaced, 'retired', 'retired');
    this.#become(version, status, status === 'active' ? 'activated' : 'shadowed');
    version.behind ??= this.#book.events.length;
  }

  #become(version: ReferenceVersion, status: ReferenceVersion['status'], told: string): void {
    version.status = status;
    this.#book.tell(`card_controls.${told}`, version.name, ++version.version);
  }
}
