/**
 * Words of the code that have a second meaning, or stand where the field has a verb or a name (STYLE.md, "Prose"). They
 * are counted in comments and in the names that a file declares.
 */
import ts from 'typescript';
import { nodesOf, parse, type SourceFile } from './source-files.ts';

export interface Word {
  /** In lower case, against comments. */
  readonly forms: RegExp;
  /** Against names cut into words. Left out: `forms`. */
  readonly names?: RegExp;
  /** What to write. */
  readonly instead: string;
  /** Where the word has its one meaning: it is not counted there. */
  readonly at?: RegExp;
}

/** Folders in which money is released. */
const MONEY = 'accounts|calendar|exceptions|payments|payouts|ledger|http|api|acquirers';

export const WORDS: Readonly<Record<string, Word>> = {
  told: { forms: /\b(tells?|told|telling)\b/g, instead: 'notified, reports, shows, distinguishes' },
  says: { forms: /\b(says?|said|saying)\b/g, instead: 'reports, states, names, answers' },
  'takes in': { forms: /\b(takes?|took|taken|taking) in\b/g, instead: 'reads' },
  'is none': { forms: /\b(is|are|was|were|be|has|have) none\b/g, instead: 'does not exist, no … exists' },
  doubt: { forms: /\bdoubt(s|ed|ful|less)?\b/g, instead: 'unknown, an unknown outcome' },
  'given up': { forms: /\b(gives?|gave|given|giving) up\b/g, instead: 'canceled, abandoned, stops' },
  'what has': { forms: /\bwhat (has|have|had)\b/g, instead: 'the noun: rows that, payments that' },
  hears: {
    forms: /\b(speaks?|spoke|spoken|hears?|heard|learns?|learned|learnt)\b/g,
    instead: 'calls, is notified, reads, receives',
  },
  bell: {
    forms: /\b(bells?|alarms?|rings?|rung|rang|farewell|luck)\b/g,
    instead: 'the name of the thing: job, due time, close',
  },
  settle: {
    forms: /\bsettl(e|es|ed|ing)\b/g,
    // Columns: when and how much the acquirer has paid. `onceSettled` is a rule of release schedules about that.
    names: /(?<!\b(amount|once) )\bsettl(e|es|ed|ing)\b(?! at$)/g,
    instead: 'apply a report, end, resolve',
    // How a rail or an acquirer settles at a bank is a setting of bank accounts. A share waits until the acquirer settles.
    at: /^src\/(payments\/(settlements|paydays|shares|payment\/payment-settled)|ledger\/account\/account-code|transactions\/settlements|reconciliation\/(accounts|matches))\b|^src\/acquirers\/sandbox-settlement|^scripts\/settle(-again)?\.ts$/,
  },
  release: {
    forms: /\breleases?\b/g,
    instead: 'version',
    at: new RegExp(`^src/(${MONEY})/|^src/reconciliation/|^scripts/(releases|faults/payment-.*)\\.ts$`),
  },
  'release of the software': {
    forms: /\breleases? \d|\b(later|earlier|this) releases?\b/g,
    names: /\breleases? \d/g,
    instead: 'version',
    at: new RegExp(`^(?!src/(${MONEY})/)`),
  },
  hold: {
    forms: /\b(holds?|held|holding)\b/g,
    instead: 'has, keeps, contains; a worker has a lease',
    // A bank statement that waits for people is held, and released. Fees are pinned with a hold; the sweeper visits holds that expire; checks and
    // audit read the ledger's holds.
    at: /^src\/(ledger|accounts|payouts|payments|journal|exceptions|cards|transactions|reconciliation|fees)\/|^src\/verify\/(hold|account|verify|window)-|^src\/group\/(appointment|row-check)\.|^src\/audit\/parts/,
  },
  // The verb is plain English: queues share a connection.
  share: {
    forms: /\b(a|an|the|its|their|this|each|equal|fair|own|larger|random) shares?\b/g,
    names: /\bshares?\b/g,
    instead: 'limited by party, part',
    at: /^src\/(payments|calendar)\/|^scripts\/faults\/payment-records-/,
  },
  source: {
    forms: /\bsources?\b/g,
    names: /(?<!\bdecision )\bsources?\b/g,
    instead: 'account, origin, caller; what pays a refund is its funding',
    // What a payment is made with, as the API names it: a card, a token, a request to pay, a page, a reader. A card decision names its source
    // (`decision_source`): the rules, the endpoint, its default or the network.
    at: /^src\/payments\/(sources|acceptance|payment|tokens|readers)\/|^src\/cards\/decision\/|^src\/transactions\/(decisions\/endpoint-answer|message\/stored-decision)/,
  },
};

export type Counts = Record<string, Record<string, number>>;

/** The text of a file in which words are counted. */
export interface Prose {
  readonly path: string;
  readonly comments: readonly string[];
  /** Names that the file declares, cut into words. */
  readonly names: readonly string[];
}

export function proseOf(file: SourceFile): Prose {
  const nodes = nodesOf(parse(file));
  return { path: file.path, comments: commentsOf(file.text, nodes), names: namesOf(nodes) };
}

/** How often each word stands in each folder. Words and folders without any are left out. */
export function countWords(files: readonly Prose[]): Counts {
  const counts: Counts = {};
  for (const { path, comments, names: declared } of files) {
    for (const [word, { forms, names = forms, at }] of Object.entries(WORDS)) {
      const found = at?.test(path) ? 0 : countIn(comments, forms) + countIn(declared, names);
      if (found === 0) continue;
      const folder = folderOf(path);
      counts[folder] ??= {};
      counts[folder][word] = (counts[folder][word] ?? 0) + found;
    }
  }
  return counts;
}

function countIn(texts: readonly string[], forms: RegExp): number {
  return texts.reduce((sum, text) => sum + (text.match(forms)?.length ?? 0), 0);
}

/** `src/payments` of src/payments/shares/share.ts, `src` of src/runtime.ts. */
function folderOf(path: string): string {
  const parts = path.split('/').slice(0, -1);
  return parts.slice(0, 2).join('/');
}

const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//g;

/** The comments of a file as one line each, without quoted code and names of files. */
function commentsOf(text: string, nodes: readonly ts.Node[]): string[] {
  const literals = nodes.filter(isLiteralText).sort((one, other) => one.pos - other.pos);
  const found: string[] = [];
  let next = 0;
  COMMENT.lastIndex = 0;
  for (let match = COMMENT.exec(text); match; match = COMMENT.exec(text)) {
    while (next < literals.length && literals[next]!.end <= match.index) next++;
    const literal = literals[next];
    // Within a text of the code; a comment in front of it belongs to its full range.
    if (literal && match.index >= literal.getStart()) COMMENT.lastIndex = literal.end;
    else found.push(match[0]);
  }
  return found.map((comment) =>
    comment
      .replace(/`[^`]*`/g, ' ')
      .replace(/[\w./-]+\.(ts|md|json)\b/g, ' ')
      .replace(/[\s*/]+/g, ' ')
      .toLowerCase(),
  );
}

function isLiteralText(node: ts.Node): boolean {
  return (
    ts.isStringLiteralLike(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddleOrTemplateTail(node) ||
    ts.isRegularExpressionLiteral(node) ||
    ts.isJsxText(node)
  );
}

/** `settle once` of settleOnce. */
function namesOf(nodes: readonly ts.Node[]): string[] {
  const names: string[] = [];
  for (const node of nodes) {
    const { name } = node as { name?: ts.Node };
    if (!name || !ts.isIdentifier(name) || !isDeclaration(node) || isColumn(name.text)) continue;
    names.push(
      name.text
        .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
        .replaceAll('_', ' ')
        .toLowerCase(),
    );
  }
  return names;
}

/** A name in snake case is that of a column or of a member on the wire: both are as they were stored and sent. */
function isColumn(name: string): boolean {
  return /^[a-z]+(_[a-z]+)+$/.test(name);
}

/** Names of imports, of destructured members and of members of a literal are declared elsewhere. */
function isDeclaration(node: ts.Node): boolean {
  if (ts.isBindingElement(node)) return node.propertyName !== undefined;
  return (
    ts.isVariableDeclaration(node) ||
    ts.isFunctionLike(node) ||
    ts.isParameter(node) ||
    ts.isClassLike(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isPropertySignature(node)
  );
}
