/** Source files as tests that read the code itself see them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface SourceFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

export function filesOf(...folders: string[]): SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => ({ path: relative(ROOT, path), text: readFileSync(path, 'utf8') })),
  );
}

export function parse({ path, text }: SourceFile): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}

/** A node and every node in it, from the outside in. */
export function nodesOf(node: ts.Node): ts.Node[] {
  const nodes = [node];
  for (let at = 0; at < nodes.length; at++)
    ts.forEachChild(nodes[at]!, (child) => {
      nodes.push(child);
    });
  return nodes;
}

/** The text of a string. A template has a $ in place of each expression. */
export function stringOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('$');
}

/** Every string in a node. */
export function stringsIn(node: ts.Node): string[] {
  return nodesOf(node)
    .map(stringOf)
    .filter((text) => text !== undefined);
}
