/** Text with expressions in it: `/product/${product}`. */

export type TemplatePart = { readonly text: string } | { readonly expression: string }

/** Where the expression that begins here ends: braces in it come in pairs, those in quotes do not count. */
const endOfExpression = (template: string, from: number): number | undefined => {
  let depth = 0
  let quote: string | undefined
  for (let index = from; index < template.length; index += 1) {
    const letter = template[index]!
    if (quote !== undefined) {
      if (letter === '\\') index += 1
      else if (letter === quote) quote = undefined
    } else if (letter === '"' || letter === "'") quote = letter
    else if (letter === '{') depth += 1
    else if (letter === '}') {
      if (depth === 0) return index
      depth -= 1
    }
  }
  return undefined
}

/** The parts in order; undefined where an expression does not end. */
export const splitTemplate = (template: string): TemplatePart[] | undefined => {
  const parts: TemplatePart[] = []
  let at = 0
  for (;;) {
    const begin = template.indexOf('${', at)
    const text = template.slice(at, begin === -1 ? undefined : begin)
    if (text !== '') parts.push({ text })
    if (begin === -1) return parts
    const end = endOfExpression(template, begin + 2)
    if (end === undefined) return undefined
    parts.push({ expression: template.slice(begin + 2, end) })
    at = end + 1
  }
}
