/** What the sandbox rail finds behind a destination, before anything is paid. It depends on the destination alone. */
import { deriveId } from '../values/ids.ts';
import { failureCodeOf } from './failure-codes.ts';
import type { Found, InstructedDestination, Unregistered } from './rail.ts';
import { type Script, scriptFor, verificationOf } from './sandbox-aliases.ts';

/** As a bank masks the name of its customer. */
const NAME_MASKED = 'S***** P****';

export function lookUp(destination: InstructedDestination): Found | Unregistered {
  const script = scriptFor(destination);
  if (failureCodeOf(script.code) === 'alias_unregistered' && script.status === 'rejected')
    return { status: 'unregistered' };
  const { providers = [] } = script;
  const named = providerOf(destination);
  if (named !== null && providers.length > 0 && !providers.includes(named)) return { status: 'unregistered' };
  const isOne = providers.length < 2 || named !== null;
  return {
    status: 'found',
    nameMasked: destination.type === 'card' ? null : NAME_MASKED,
    providers,
    account: isOne && destination.type === 'cliq' ? accountOf(destination) : null,
    verification: destination.type === 'iban' ? verificationOf(destination.name) : null,
  };
}

/** Whether the account that is found at payment is another than the one that was resolved. */
export function hasMoved(destination: InstructedDestination, script: Script, resolved: string | null): boolean {
  return resolved !== null && (script.isRepointed === true || resolved !== accountOf(destination));
}

function providerOf(destination: InstructedDestination): string | null {
  return destination.type === 'cliq' || destination.type === 'wallet' ? destination.provider : null;
}

function accountOf(destination: InstructedDestination): string {
  return deriveId('sandbox-account', JSON.stringify(destination));
}
