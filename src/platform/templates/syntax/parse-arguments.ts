/** Parses the arguments of a call, a filter or a test. */
import type { Arguments, Expression } from './node.ts'
import { syntaxError } from './syntax-error.ts'
import type { ExpressionParser, TokenStream } from './token-stream.ts'

const check = (isValid: boolean): void => {
  if (!isValid) throw syntaxError('invalid syntax for function call expression')
}

export const parseArguments = (stream: TokenStream, parseExpression: ExpressionParser): Arguments => {
  stream.expect('operator', '(')
  const positional: Expression[] = []
  const keywords: [string, Expression][] = []
  let spread: Expression | undefined
  let keywordSpread: Expression | undefined
  for (let isFirst = true; !stream.is('operator', ')'); isFirst = false) {
    if (!isFirst) stream.expect('operator', ',')
    if (stream.is('operator', ')')) break
    if (stream.skip('operator', '*')) {
      check(spread === undefined && keywordSpread === undefined)
      spread = parseExpression(stream)
    } else if (stream.skip('operator', '**')) {
      check(keywordSpread === undefined)
      keywordSpread = parseExpression(stream)
    } else if (stream.is('name') && stream.following.type === 'operator' && stream.following.value === '=') {
      check(keywordSpread === undefined)
      const name = stream.next().value
      stream.next()
      keywords.push([name, parseExpression(stream)])
    } else {
      check(spread === undefined && keywordSpread === undefined && keywords.length === 0)
      positional.push(parseExpression(stream))
    }
  }
  stream.expect('operator', ')')
  // Python rejects the compiled template, and Ansible then returns the text of the template.
  const names = new Set(keywords.map(([name]) => name))
  if (names.size < keywords.length || names.has('__debug__')) stream.unsupported('repeated keywords')
  return { positional, keywords, spread, keywordSpread }
}
