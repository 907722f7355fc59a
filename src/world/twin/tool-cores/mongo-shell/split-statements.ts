/** Splits a script into statements at semicolons and line ends outside brackets and quotes. */
export const splitStatements = (script: string): string[] => {
  const statements: string[] = []
  let current = ''
  let depth = 0
  let quote = ''
  for (let at = 0; at < script.length; at++) {
    const character = script[at]!
    if (quote !== '') {
      current += character
      if (character === '\\') current += script[++at] ?? ''
      else if (character === quote) quote = ''
      continue
    }
    if (character === '/' && script[at + 1] === '/') {
      while (at + 1 < script.length && script[at + 1] !== '\n') at++
      continue
    }
    if (character === '"' || character === "'" || character === '`') quote = character
    if ('([{'.includes(character)) depth++
    if (')]}'.includes(character)) depth--
    const isContinued = /^\s*\./.test(script.slice(at + 1))
    if (depth <= 0 && (character === ';' || (character === '\n' && !isContinued))) {
      statements.push(current.trim())
      current = ''
    } else current += character
  }
  return [...statements, current.trim()].filter((statement) => statement !== '')
}
