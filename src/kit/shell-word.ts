/** A word as a shell takes it for one, whatever is in it. */

/** Within quotes only where it has to be; a quote inside is closed off, and put between others. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`
