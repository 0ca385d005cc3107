/** A processor as everybody but its adapter meets it: each call is made in the turn of its book. */
import { SharedParty } from '../outside/calls/called-party.ts';
import type { NotFound } from '../outside/party/party.ts';
import type {
  Processor,
  ProcessorAnswer,
  ProcessorInstruction,
  ProcessorNotice,
  RevealAsked,
  Revealed,
} from './processor.ts';

export class SharedProcessor<Client extends Processor = Processor>
  extends SharedParty<Client, ProcessorNotice>
  implements Processor
{
  readonly idempotent = true;

  submit(instruction: ProcessorInstruction): Promise<ProcessorAnswer> {
    return this.inTurn(instruction.originator, (its) => its.submit(instruction));
  }

  inquire(originator: string, reference: string): Promise<ProcessorAnswer | NotFound> {
    return this.inTurn(originator, (its) => its.inquire(originator, reference));
  }

  reveal(asked: RevealAsked): Promise<Revealed> {
    return this.inTurn(asked.originator, (its) => its.reveal(asked));
  }
}
