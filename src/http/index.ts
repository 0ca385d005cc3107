/** Folders of the API's machinery, in the order in which they may see each other (.dependency-cruiser.cjs). */
export const NOUNS = ['connections', 'limits', 'authentication', 'input', 'pipeline', 'reference'] as const;
