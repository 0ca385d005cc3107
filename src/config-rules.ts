/** What variables say together: a setting that can never apply stops the start, since its operator believes that it does. */

const GATEWAY = ['ACQUIRER_HTTP_NAME', 'ACQUIRER_HTTP_URL', 'ACQUIRER_HTTP_SECRETS'];

interface Rule {
  /** A variable, and a value of it that means nothing by itself; without one, whatever it holds. */
  readonly name: string;
  readonly value?: string;
  /** Without all of these it can never apply. */
  readonly needs?: readonly string[];
  /** Nor beside this one. */
  readonly notBeside?: string;
}

const RULES: readonly Rule[] = [
  { name: 'REDIS_CLUSTER', value: 'true', needs: ['REDIS_URL'] },
  { name: 'PAYMENT_DISPUTE_FEE_REFUNDED', value: 'true', needs: ['PAYMENT_DISPUTE_FEE'] },
  { name: 'ACQUIRER_HTTP_MODE', value: 'test', needs: GATEWAY },
  { name: 'ACQUIRER_HTTP_CARD_DATA', value: 'true', needs: GATEWAY },
  { name: 'QUEUE_DATABASE_URL', notBeside: 'REDIS_URL' },
  // PAYMENT_RELEASE_CALENDAR applies beside calendar days too: a book that sets business days for itself and names no calendar gets it.
  // CHECKPOINT_SIGNING_KEY and SIGNER_DATABASE_URL may each stand alone: the role is there before the key, and processes that sign nothing
  // share a file with those that do. The reports pool says at its start which of them it lacks.
  { name: 'CHECKPOINT_FORMER_KEYS', needs: ['CHECKPOINT_SIGNING_KEY'] },
];

/** A line for each setting that can never apply. */
export function neverApplies(given: NodeJS.ProcessEnv): string[] {
  const isSet = (name: string) => (given[name] ?? '').replaceAll(/[\s,]/g, '') !== '';
  return RULES.flatMap(({ name, value, needs = [], notBeside }) => {
    if (value === undefined ? !isSet(name) : given[name] !== value) return [];
    const said = value === undefined ? `  ${name}: never applies` : `  ${name}: ${value} never applies`;
    if (!needs.every(isSet)) return [`${said} without ${needs.join(', ')}`];
    return notBeside !== undefined && isSet(notBeside) ? [`${said} beside ${notBeside}`] : [];
  });
}
