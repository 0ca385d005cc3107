/** A rail as all code but its adapter uses it: each call is made in the turn of its book. */

import type { CallLimits } from '../outside/calls/call-limits.ts';
import { SharedParty } from '../outside/calls/called-party.ts';
import type { NotFound } from '../outside/party/party.ts';
import type { Uuid } from '../values/ids.ts';
import type {
  Confirms,
  Found,
  InstructedDestination,
  Instruction,
  NotCarried,
  Offered,
  Rail,
  RailAnswer,
  RailNotice,
  ReceivingAccount,
  Unregistered,
} from './rail.ts';
import type { SandboxBank } from './sandbox-bank.ts';
import type { SandboxRail } from './sandbox-rail.ts';
import type { OfferedCredit } from './stated-by-sandbox.ts';

export class SharedRail<Client extends Rail = Rail> extends SharedParty<Client, RailNotice> implements Rail {
  readonly idempotent = true;
  readonly confirms: Confirms;
  readonly returnsWhole?: true;
  readonly refuses?: (payout: Offered) => NotCarried | undefined;
  readonly receivesOn?: (currency: string) => readonly ReceivingAccount[];
  readonly destinations: Rail['destinations'];
  readonly paysTokensOf: Rail['paysTokensOf'];

  constructor(rail: Client, limits: CallLimits) {
    super(rail, limits);
    this.confirms = rail.confirms;
    if (rail.returnsWhole) this.returnsWhole = true;
    // It needs no call.
    if (rail.refuses) this.refuses = (payout) => rail.refuses!(payout);
    if (rail.receivesOn) this.receivesOn = (currency) => rail.receivesOn!(currency);
    this.destinations = rail.destinations;
    this.paysTokensOf = rail.paysTokensOf;
  }

  payeeDigest(endToEndId: string, payee: string): string {
    return this.client.payeeDigest(endToEndId, payee);
  }

  resolve(originator: string, destination: InstructedDestination): Promise<Found | Unregistered> {
    return this.inTurn(originator, (rail) => rail.resolve(originator, destination));
  }

  submit(instruction: Instruction): Promise<RailAnswer> {
    return this.inTurn(instruction.originator, (rail) => rail.submit(instruction));
  }

  inquire(originator: string, endToEndId: string): Promise<RailAnswer | NotFound> {
    return this.inTurn(originator, (rail) => rail.inquire(originator, endToEndId));
  }
}

/** With its simulations. */
export class SharedSandboxRail extends SharedRail<SandboxRail> {
  complete(originator: string, ...rest: Rest<SandboxRail['complete']>): Promise<RailNotice | undefined> {
    return this.inTurn(originator, (rail) => rail.complete(originator, ...rest));
  }

  fail(originator: string, ...rest: Rest<SandboxRail['fail']>): Promise<RailNotice | undefined> {
    return this.inTurn(originator, (rail) => rail.fail(originator, ...rest));
  }

  return(originator: string, endToEndId: string, noticeId: Uuid, amount: bigint): Promise<RailNotice | undefined> {
    return this.inTurn(originator, (rail) => rail.return(originator, endToEndId, noticeId, amount));
  }

  offerCredit(credit: OfferedCredit): Promise<void> {
    return this.inTurn(credit.originator, ({ bank }) => bank.offer(credit));
  }

  offeredCredits(originator: string, ...rest: Rest<SandboxBank['offered']>): ReturnType<SandboxBank['offered']> {
    return this.inTurn(originator, ({ bank }) => bank.offered(originator, ...rest));
  }

  decideCredits(originator: string, ...rest: Rest<SandboxBank['decide']>): Promise<void> {
    return this.inTurn(originator, ({ bank }) => bank.decide(originator, ...rest));
  }

  bankStatement(originator: string, ...rest: Rest<SandboxBank['statement']>): ReturnType<SandboxBank['statement']> {
    return this.inTurn(originator, ({ bank }) => bank.statement(originator, ...rest));
  }
}

type Rest<Call extends (originator: string, ...rest: never[]) => unknown> = Call extends (
  originator: string,
  ...rest: infer Others
) => unknown
  ? Others
  : never;
