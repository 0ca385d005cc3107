/** An acquirer as all code but its adapter uses it: each call is made in the turn of its book. */
import type { CallFor, CallLimits } from '../outside/calls/call-limits.ts';
import { SharedParty } from '../outside/calls/called-party.ts';
import type { NotFound } from '../outside/party/party.ts';
import type {
  Acquirer,
  AcquirerAnswer,
  AcquirerInstruction,
  AcquirerNotice,
  AuthorizeInstruction,
  Tokenized,
  Verified,
} from './acquirer.ts';
import type { CardInput } from './card.ts';
import type { SandboxAcquirer } from './sandbox-acquirer.ts';

type ByOriginator = { originator: string };
type SandboxCall<Name extends keyof SandboxAcquirer> = SandboxAcquirer[Name] extends (...given: infer Given) => unknown
  ? Given
  : never;

export class SharedAcquirer<Client extends Acquirer = Acquirer>
  extends SharedParty<Client, AcquirerNotice>
  implements Acquirer
{
  readonly idempotent = true;
  readonly takesCards: boolean;
  readonly givesTokens: boolean;
  readonly hostedSession?: (instruction: AuthorizeInstruction) => Promise<AcquirerAnswer>;

  constructor(acquirer: Client, limits: CallLimits) {
    super(acquirer, limits);
    this.takesCards = acquirer.takesCards;
    this.givesTokens = acquirer.givesTokens;
    if (acquirer.hostedSession)
      this.hostedSession = (instruction) =>
        this.inTurn(instruction.originator, (its) => its.hostedSession!(instruction));
  }

  showing(card: CardInput): Tokenized['card'] {
    return this.client.showing(card);
  }

  tokenize(card: CardInput, of: ByOriginator & { reusable: boolean }): Promise<Tokenized> {
    return this.inTurn(of.originator, (its) => its.tokenize(card, of));
  }

  withCode(token: string, cvc: string, of: ByOriginator): Promise<string> {
    return this.inTurn(of.originator, (its) => its.withCode(token, cvc, of));
  }

  verify(token: string, of: ByOriginator): Promise<Verified> {
    return this.inTurn(of.originator, (its) => its.verify(token, of));
  }

  cardOf(token: string, of: ByOriginator): Promise<Tokenized['card']> {
    return this.inTurn(of.originator, (its) => its.cardOf(token, of));
  }

  submit(instruction: AcquirerInstruction): Promise<AcquirerAnswer> {
    return this.inTurn(instruction.originator, (its) => its.submit(instruction));
  }

  inquire(originator: string, reference: string): Promise<AcquirerAnswer | NotFound> {
    return this.inTurn(originator, (its) => its.inquire(originator, reference));
  }

  cancel(originator: string, reference: string): Promise<AcquirerAnswer> {
    return this.inTurn(originator, (its) => its.cancel(originator, reference));
  }
}

/**
 * A challenge is known by its link alone; only its record names the book. Anybody may open such a link, so all links
 * count as one book.
 */
const CHALLENGES = 'challenges';

/** With the pages of its challenges, its paydays, and its simulations. */
export class SharedSandboxAcquirer extends SharedAcquirer<SandboxAcquirer> {
  findChallenge(...given: SandboxCall<'findChallenge'>): ReturnType<SandboxAcquirer['findChallenge']> {
    return this.inTurn(CHALLENGES, (its) => its.findChallenge(...given));
  }

  resolveChallenge(...given: SandboxCall<'resolveChallenge'>): ReturnType<SandboxAcquirer['resolveChallenge']> {
    return this.inTurn(CHALLENGES, (its) => its.resolveChallenge(...given));
  }

  resolveRequest(...given: SandboxCall<'resolveRequest'>): ReturnType<SandboxAcquirer['resolveRequest']> {
    return this.inTurn(given[0], (its) => its.resolveRequest(...given));
  }

  openDispute(...given: SandboxCall<'openDispute'>): ReturnType<SandboxAcquirer['openDispute']> {
    return this.inTurn(given[0].originator, (its) => its.openDispute(...given));
  }

  moveDispute(...given: SandboxCall<'moveDispute'>): ReturnType<SandboxAcquirer['moveDispute']> {
    return this.inTurn(given[0].originator, (its) => its.moveDispute(...given));
  }

  /** For a job, unless a simulation waits for it. */
  pay(given: SandboxCall<'pay'>[0], callFor: CallFor = 'job'): ReturnType<SandboxAcquirer['pay']> {
    return this.inTurn(given.originator, (its) => its.pay(given), callFor);
  }
}
