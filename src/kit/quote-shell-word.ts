/** Quotes a string so that a shell reads it as one word. */

/** Adds quotes only if needed. Writes a single quote as `'"'"'`. */
export const quoteShellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`
