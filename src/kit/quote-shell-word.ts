/** Quotes a string so that a shell reads it as one word. */

/** Adds quotes only if needed. A single quote inside ends the quotation, stands in double quotes, and reopens it. */
export const quoteShellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`
