/** Resolves the imports between the modules of a source folder as Node.js does, but without file-system lookups. */

/**
 * Returns the URL of the module, or undefined if Node.js must resolve it. `sources` is the URL of the folder
 * that `#` refers to, with a slash at the end.
 */
export const resolveSource = (
  sources: string,
  specifier: string,
  importer: string | undefined,
): string | undefined => {
  if (!importer?.startsWith(sources)) return undefined
  if (specifier.startsWith('#')) return `${sources}${specifier.slice(1)}/index.ts`
  if (!specifier.startsWith('.') || !specifier.endsWith('.ts')) return undefined
  const { href } = new URL(specifier, importer)
  return href.startsWith(sources) ? href : undefined
}
