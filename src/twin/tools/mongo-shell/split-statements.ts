/** The statements of a script, one after another: each ends at a semicolon or a line's end outside of brackets and quotes. */
export const splitStatements = (script: string): string[] => {
  const statements: string[] = []
  let current = ''
  let depth = 0
  let quote = ''
  for (let at = 0; at < script.length; at++) {
    const letter = script[at]!
    if (quote !== '') {
      current += letter
      if (letter === '\\') current += script[++at] ?? ''
      else if (letter === quote) quote = ''
      continue
    }
    if (letter === '/' && script[at + 1] === '/') {
      while (at + 1 < script.length && script[at + 1] !== '\n') at++
      continue
    }
    if (letter === '"' || letter === "'" || letter === '`') quote = letter
    if ('([{'.includes(letter)) depth++
    if (')]}'.includes(letter)) depth--
    const goesOn = /^\s*\./.test(script.slice(at + 1))
    if (depth <= 0 && (letter === ';' || (letter === '\n' && !goesOn))) {
      statements.push(current.trim())
      current = ''
    } else current += letter
  }
  return [...statements, current.trim()].filter((statement) => statement !== '')
}
