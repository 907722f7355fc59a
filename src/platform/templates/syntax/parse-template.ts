/** Parses a template into statements. */
import type { Expression, Statement, Target } from './node.ts'
import { parseExpression, parseOr, parsePrimary } from './parse-expression.ts'
import { parseFilter } from './parse-filter.ts'
import { parseTuple } from './parse-tuple.ts'
import { syntaxError } from './syntax-error.ts'
import { TokenStream } from './token-stream.ts'
import { tokenise } from './tokenise.ts'

const UNSUPPORTED = new Set([
  ...['autoescape', 'block', 'call', 'extends', 'from', 'import', 'include', 'macro'],
])

const CONSTANT_NAMES = new Set(['true', 'false', 'none', 'True', 'False', 'None'])

const toTarget = (node: Expression): Target => {
  if (node.type === 'name') return { type: 'name', name: node.name }
  if (node.type === 'tuple') return { type: 'tuple', items: node.items.map(toTarget) }
  throw syntaxError(`can't assign to '${node.type === 'constant' ? 'const' : node.type}'`)
}

const parseTarget = (stream: TokenStream, endName?: string): Target =>
  toTarget(parseTuple(stream, parsePrimary, endName === undefined ? {} : { endName }))

/** A target of `set`, which may also be a member of a namespace. */
const parseSetTarget = (stream: TokenStream): Target => {
  if (stream.following.type !== 'operator' || stream.following.value !== '.') return parseTarget(stream)
  const name = stream.expect('name').value
  stream.expect('operator', '.')
  const member = stream.expect('name').value
  if (CONSTANT_NAMES.has(name)) stream.unsupported(`the namespace ${name}`)
  return { type: 'member', name, member }
}

/** Parses the statements after a tag, up to one of the end tags. The name of the end tag is then the current token. */
const parseBody = (stream: TokenStream, tag: string, ends: readonly string[]): Statement[] => {
  stream.skip('operator', ':')
  stream.expect('block_end')
  const body = stream.nested(() => parseStatements(stream, ends))
  if (stream.is('eof')) {
    const names = ends.map((end) => `'${end}'`).join(' or ')
    throw syntaxError(
      `Unexpected end of template. Jinja was looking for the following tags: ${names}. ` +
        `The innermost block that needs to be closed is '${tag}'.`,
    )
  }
  return body
}

const parseIf = (stream: TokenStream): Statement => {
  const branches: [Expression, Statement[]][] = []
  let otherwise: Statement[] = []
  let end = 'elif'
  while (end === 'elif') {
    stream.next()
    const test = parseTuple(stream, parseOr)
    branches.push([test, parseBody(stream, 'if', ['elif', 'else', 'endif'])])
    end = stream.current.value
  }
  if (stream.next().value === 'else') {
    otherwise = parseBody(stream, 'if', ['endif'])
    stream.next()
  }
  return { type: 'if', branches, otherwise }
}

const parseFor = (stream: TokenStream): Statement => {
  stream.next()
  const target = parseTarget(stream, 'in')
  stream.expect('name', 'in')
  const items = parseTuple(stream, parseOr, { endName: 'recursive' })
  const test = stream.skip('name', 'if') ? parseExpression(stream) : undefined
  if (stream.is('name', 'recursive')) stream.unsupported('recursive loops')
  const body = parseBody(stream, 'for', ['endfor', 'else'])
  const hasElse = stream.next().value === 'else'
  const otherwise = hasElse ? parseBody(stream, 'for', ['endfor']) : []
  if (hasElse) stream.next()
  return { type: 'for', target, items, test, body, otherwise }
}

const parseSet = (stream: TokenStream): Statement => {
  stream.next()
  const target = parseSetTarget(stream)
  if (stream.skip('operator', '=')) return { type: 'set', target, value: parseTuple(stream, parseExpression) }
  const filter = stream.is('operator', '|') ? parseFilter(stream, undefined, parseExpression) : undefined
  const body = parseBody(stream, 'set', ['endset'])
  stream.next()
  return { type: 'set-block', target, filter, body }
}

const parseWith = (stream: TokenStream): Statement => {
  stream.next()
  const bindings: [Target, Expression][] = []
  while (!stream.is('block_end')) {
    if (bindings.length > 0) stream.expect('operator', ',')
    const target = parseTarget(stream)
    stream.expect('operator', '=')
    bindings.push([target, parseExpression(stream)])
  }
  const body = parseBody(stream, 'with', ['endwith'])
  stream.next()
  return { type: 'with', bindings, body }
}

const parsePrint = (stream: TokenStream): Statement => {
  stream.next()
  const parts: Expression[] = []
  while (!stream.is('block_end')) {
    if (parts.length > 0) stream.expect('operator', ',')
    parts.push(parseExpression(stream))
  }
  return { type: 'output', parts }
}

const parseFilterBlock = (stream: TokenStream): Statement => {
  stream.next()
  const filter = parseFilter(stream, undefined, parseExpression, true)
  const body = parseBody(stream, 'filter', ['endfilter'])
  stream.next()
  return { type: 'filter-block', filter, body }
}

const PARSERS: Readonly<Record<string, (stream: TokenStream) => Statement>> = {
  for: parseFor,
  if: parseIf,
  set: parseSet,
  with: parseWith,
  print: parsePrint,
  filter: parseFilterBlock,
}

const parseStatement = (stream: TokenStream): Statement => {
  if (!stream.is('name')) throw syntaxError('tag name expected')
  const name = stream.current.value
  if (UNSUPPORTED.has(name)) stream.unsupported(`the statement ${name}`)
  const parse = Object.hasOwn(PARSERS, name) ? PARSERS[name] : undefined
  if (parse === undefined) throw syntaxError(`Encountered unknown tag '${name}'.`)
  return parse(stream)
}

/** Stops at the name of one of the end tags, or at the end of the template. */
const parseStatements = (stream: TokenStream, ends: readonly string[]): Statement[] => {
  const statements: Statement[] = []
  let parts: (string | Expression)[] = []
  const flush = (): void => {
    if (parts.length > 0) statements.push({ type: 'output', parts })
    parts = []
  }
  while (!stream.is('eof')) {
    if (stream.is('data')) parts.push(stream.next().value)
    else if (stream.skip('variable_begin')) {
      parts.push(parseTuple(stream, parseExpression))
      stream.expect('variable_end')
    } else {
      flush()
      stream.expect('block_begin')
      if (stream.is('name') && ends.includes(stream.current.value)) return statements
      statements.push(parseStatement(stream))
      stream.expect('block_end')
    }
  }
  flush()
  return statements
}

/** Throws a PythonError (TemplateSyntaxError). The source must have normal line breaks. */
export const parseTemplate = (source: string): Statement[] =>
  parseStatements(new TokenStream(tokenise(source)), [])
