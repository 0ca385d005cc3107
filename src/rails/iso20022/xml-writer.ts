/** Writes XML: elements with a text or with elements inside. Each text is escaped here and nowhere else. */

export type XmlNode = readonly [name: string, content: XmlContent, attributes?: Readonly<Record<string, string>>];
/** Absent members are left out, so that a caller writes an element and its condition in one place. */
export type XmlContent = string | readonly (XmlNode | undefined)[];

export function toXml(root: XmlNode): string {
  return `${XML_DECLARATION}${xmlOf(root)}\n`;
}

export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** One element with all that is in it. */
export function xmlOf([name, content, attributes = {}]: XmlNode): string {
  const start = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
  const inside =
    typeof content === 'string'
      ? escaped(content)
      : content.map((node) => (node === undefined ? '' : xmlOf(node))).join('');
  return `<${name}${start.join('')}>${inside}</${name}>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"\r]/g, (character) => ENTITIES[character]!);
}
