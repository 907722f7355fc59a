/** What pods have said, without what would tell the terminal to do something. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about.
const CONTROLS = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g

/** On one line; control characters are written out. */
export const toPrintable = (text: string): string =>
  text.replace(CONTROLS, (letter) => {
    if (letter === '\n') return '\\n'
    return `\\x${letter.charCodeAt(0).toString(16).padStart(2, '0')}`
  })
