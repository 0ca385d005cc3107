/** Rules across variables of the configuration: what is set whole or not at all, and what can never apply. */

export const SECRETS_EXPECTATION = 'expects whsec_ and base64 of 24 to 64 bytes each, separated by commas';

/** A line for each rule that the environment breaks. */
export function brokenRules(given: NodeJS.ProcessEnv): string[] {
  return [
    ...Object.keys(GATEWAYS).flatMap((party) => lacksOfGateway(party, given)),
    ...sharedName(given),
    ...neverApplies(given),
  ];
}

/** What shows the name of a gateway. */
const GATEWAYS: Readonly<Record<string, string>> = { ACQUIRER: 'payments', PROCESSOR: 'cards', RAIL: 'payouts' };

/** A gateway is configured whole or not at all. */
function lacksOfGateway(party: string, given: NodeJS.ProcessEnv): string[] {
  const expectations = [
    `expects the name of the gateway, as ${GATEWAYS[party]} show it`,
    'expects the base URL of the gateway',
    SECRETS_EXPECTATION,
  ];
  const names = gatewayOf(party);
  const lines = names.flatMap((name, at) =>
    (given[name] ?? '').replaceAll(/[\s,]/g, '') === '' ? [`  ${name}: is not set; ${expectations[at]}`] : [],
  );
  return lines.length === names.length ? [] : lines;
}

function gatewayOf(party: string): readonly string[] {
  return [`${party}_HTTP_NAME`, `${party}_HTTP_URL`, `${party}_HTTP_SECRETS`];
}

/** The path of notices has room for one of a name. */
function sharedName(given: NodeJS.ProcessEnv): string[] {
  const names = Object.keys(GATEWAYS).map((party) => `${party}_HTTP_NAME`);
  return names.flatMap((name, at) => {
    const before = given[name] === undefined ? undefined : names.slice(0, at).find((one) => given[one] === given[name]);
    if (before === undefined) return [];
    return [`  ${name}: expects another name than that of ${before}: their notices come in under it`];
  });
}

interface Rule {
  /** A variable, and a value of it that means nothing by itself; without one, any value. */
  readonly name: string;
  readonly value?: string;
  /** Without all of these it can never apply. */
  readonly needs?: readonly string[];
  /** Nor beside this one. */
  readonly notBeside?: string;
}

/** Rules across variables: a setting that can never apply stops the start, since its operator believes that it does. */
const RULES: readonly Rule[] = [
  { name: 'REDIS_CLUSTER', value: 'true', needs: ['REDIS_URL'] },
  { name: 'REDIS_PREFIX', needs: ['REDIS_URL'] },
  { name: 'PAYMENT_DISPUTE_FEE_REFUNDED', value: 'true', needs: ['PAYMENT_DISPUTE_FEE'] },
  { name: 'ACQUIRER_HTTP_MODE', value: 'test', needs: gatewayOf('ACQUIRER') },
  { name: 'ACQUIRER_HTTP_CARD_DATA', value: 'true', needs: gatewayOf('ACQUIRER') },
  { name: 'PROCESSOR_HTTP_MODE', value: 'test', needs: gatewayOf('PROCESSOR') },
  { name: 'RAIL_HTTP_MODE', value: 'test', needs: gatewayOf('RAIL') },
  { name: 'RAIL_HTTP_DESTINATIONS', needs: gatewayOf('RAIL') },
  { name: 'RAIL_HTTP_TOKENS_OF', needs: gatewayOf('RAIL') },
  { name: 'QUEUE_DATABASE_URL', notBeside: 'REDIS_URL' },
  // PAYMENT_RELEASE_CALENDAR applies beside calendar days too: a book that sets business days for itself and names no
  // calendar gets it. CHECKPOINT_SIGNING_KEY and SIGNER_DATABASE_URL may each stand alone: the role exists before the
  // key, and processes that sign nothing share a file with those that do. The reports pool logs at its start which of
  // them it lacks.
  { name: 'CHECKPOINT_FORMER_KEYS', needs: ['CHECKPOINT_SIGNING_KEY'] },
  { name: 'CHECKPOINT_INTERVAL_SECONDS', needs: ['CHECKPOINT_SIGNING_KEY'] },
];

/** A line for each setting that can never apply. */
function neverApplies(given: NodeJS.ProcessEnv): string[] {
  const isSet = (name: string) => (given[name] ?? '').replaceAll(/[\s,]/g, '') !== '';
  return RULES.flatMap(({ name, value, needs = [], notBeside }) => {
    if (value === undefined ? !isSet(name) : given[name] !== value) return [];
    const line = value === undefined ? `  ${name}: never applies` : `  ${name}: ${value} never applies`;
    if (!needs.every(isSet)) return [`${line} without ${needs.join(', ')}`];
    return notBeside !== undefined && isSet(notBeside) ? [`${line} beside ${notBeside}`] : [];
  });
}
