/** A rail as everybody but its adapter meets it: each call is made in the turn of its book. */

import type { CallShares } from '../outside/call-shares.ts';
import { SharedParty } from '../outside/called-party.ts';
import type { NotFound } from '../outside/party.ts';
import type { Uuid } from '../values/ids.ts';
import type { Confirms, Instruction, Rail, RailAnswer, RailNotice } from './rail.ts';
import type { SandboxRail } from './sandbox-rail.ts';

export class SharedRail<Client extends Rail = Rail> extends SharedParty<Client, RailNotice> implements Rail {
  readonly idempotent = true;
  readonly confirms: Confirms;

  constructor(rail: Client, shares: CallShares) {
    super(rail, shares);
    this.confirms = rail.confirms;
  }

  payeeDigest(endToEndId: string, payee: string): string {
    return this.client.payeeDigest(endToEndId, payee);
  }

  submit(instruction: Instruction): Promise<RailAnswer> {
    return this.inTurn(instruction.originator, (rail) => rail.submit(instruction));
  }

  inquire(originator: string, endToEndId: string): Promise<RailAnswer | NotFound> {
    return this.inTurn(originator, (rail) => rail.inquire(originator, endToEndId));
  }
}

/** With what simulations tell it. */
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
}

type Rest<Call extends (originator: string, ...rest: never[]) => unknown> = Call extends (
  originator: string,
  ...rest: infer Others
) => unknown
  ? Others
  : never;
