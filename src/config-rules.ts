/** What variables say together: a setting that can never apply stops the start, since its operator believes that it does. */

const GATEWAY = ['ACQUIRER_HTTP_NAME', 'ACQUIRER_HTTP_URL', 'ACQUIRER_HTTP_SECRETS'];

interface Rule {
  /** A variable, and a value of it that means nothing by itself. */
  readonly name: string;
  readonly value: string;
  /** Without all of these it can never apply. */
  readonly needs: readonly string[];
}

const RULES: readonly Rule[] = [
  { name: 'REDIS_CLUSTER', value: 'true', needs: ['REDIS_URL'] },
  { name: 'PAYMENT_DISPUTE_FEE_REFUNDED', value: 'true', needs: ['PAYMENT_DISPUTE_FEE'] },
  { name: 'ACQUIRER_HTTP_MODE', value: 'test', needs: GATEWAY },
  { name: 'ACQUIRER_HTTP_CARD_DATA', value: 'true', needs: GATEWAY },
];

/** A line for each setting that can never apply. */
export function neverApplies(given: NodeJS.ProcessEnv): string[] {
  const isSet = (name: string) => (given[name] ?? '').replaceAll(/[\s,]/g, '') !== '';
  return RULES.filter(({ name, value, needs }) => given[name] === value && !needs.every(isSet)).map(
    ({ name, value, needs }) => `  ${name}: ${value} never applies without ${needs.join(', ')}`,
  );
}
