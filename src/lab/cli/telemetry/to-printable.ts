/** Escapes control characters in logs and spans, for output on a terminal. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to escape
const CONTROLS = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g

/** Returns one line. */
export const toPrintable = (text: string): string =>
  text.replace(CONTROLS, (character) => {
    if (character === '\n') return '\\n'
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
  })
