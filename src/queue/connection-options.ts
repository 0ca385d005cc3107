/** A URL of Postgres with further `options`: those that it has stay, since the driver takes the URL's in place of any others. */
export function withOptions(url: string, options: string): string {
  const at = url.indexOf('?');
  const parameters = new URLSearchParams(at < 0 ? '' : url.slice(at + 1));
  const own = parameters.get('options');
  // Of a setting that is named twice, Postgres takes the last value.
  parameters.set('options', own ? `${own} ${options}` : options);
  return `${at < 0 ? url : url.slice(0, at)}?${parameters}`;
}
