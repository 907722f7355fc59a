/** Label selectors in the text form of requests: `app=web,tier in (a,b),!canary`. */
import { badRequest } from './api-error.ts'
import { type FieldError, goStrings, invalid } from './field-error.ts'
import { type LabelMatcher, type LabelRequirement, toMatcher } from './label-selector.ts'
import { labelValueProblems, qualifiedNameProblems } from './names.ts'

type SymbolKind = '=' | '==' | '!=' | '!' | ',' | '(' | ')' | '<' | '>'

interface Token {
  kind: 'identifier' | 'end' | SymbolKind
  text: string
}

const TOKEN = /[ \t\r\n]*(?:(==|!=|[=!,()<>])|([^ \t\r\n=!,()<>]+)|$)/y

const tokenize = (text: string): Token[] => {
  const tokens: Token[] = []
  TOKEN.lastIndex = 0
  for (;;) {
    const [, symbol, identifier] = TOKEN.exec(text)!
    if (symbol !== undefined) tokens.push({ kind: symbol as SymbolKind, text: symbol })
    else if (identifier !== undefined) tokens.push({ kind: 'identifier', text: identifier })
    else return [...tokens, { kind: 'end', text: '' }]
  }
}

/** The syntax error for an unexpected token. In one message of the real parser, `separator` has no comma. */
const unexpected = (token: Token, expected: string, separator = ', '): Error =>
  new SyntaxError(`found '${token.text}'${separator}expected: ${expected}`)

const throwIfInvalid = (errors: readonly FieldError[]): void => {
  const texts = errors.map(({ field, message }) => `${field}: ${message}`)
  if (texts.length === 1) throw new SyntaxError(texts[0])
  if (texts.length > 1) throw new SyntaxError(`[${texts.join(', ')}]`)
}

const checkKey = (key: string): void => {
  const problems = qualifiedNameProblems(key)
  // The real parser has no field path for keys and prints <nil>.
  if (problems.length > 0) throwIfInvalid([invalid('<nil>', key, problems.join('; '))])
}

const isInt64 = (text: string): boolean =>
  /^[+-]?\d+$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text)

const checkValues = ({ key, operator, values }: LabelRequirement): void => {
  const errors: FieldError[] = []
  if ((operator === 'In' || operator === 'NotIn') && values.length === 0)
    errors.push(
      invalid('values', goStrings(values), "for 'in', 'notin' operators, values set can't be empty"),
    )
  if ((operator === 'Gt' || operator === 'Lt') && !isInt64(values[0]!))
    errors.push(invalid('values[0]', values[0], "for 'Gt', 'Lt' operators, the value must be an integer"))
  values.forEach((value, index) => {
    const problems = labelValueProblems(value)
    if (problems.length > 0) errors.push(invalid(`values[${index}][${key}]`, value, problems.join('; ')))
  })
  throwIfInvalid(errors)
}

const OPERATORS: Readonly<Record<string, LabelRequirement['operator']>> = {
  '=': 'In',
  '==': 'In',
  '!=': 'NotIn',
  '>': 'Gt',
  '<': 'Lt',
}

const createParser = (tokens: readonly Token[]) => {
  let position = 0
  const peek = (): Token => tokens[position]!
  const consume = (): Token => (peek().kind === 'end' ? peek() : tokens[position++]!)

  const parseExactValue = (): string => {
    if (peek().kind === 'end' || peek().kind === ',') return ''
    const token = consume()
    if (token.kind !== 'identifier') throw unexpected(token, 'identifier')
    return token.text
  }

  /** Parses the values between parentheses. An omitted value counts as an empty one. */
  const parseMembers = (): Set<string> => {
    const values = new Set<string>()
    for (;;) {
      const token = consume()
      if (token.kind === 'identifier') {
        values.add(token.text)
        if (peek().kind === ')') return values
        if (peek().kind !== ',') throw unexpected(peek(), "',' or ')'")
      } else if (token.kind === ',') {
        if (values.size === 0) values.add('')
        if (peek().kind === ')') return values.add('')
        if (peek().kind === ',') {
          consume()
          values.add('')
        }
      } else throw unexpected(token, "',', or identifier")
    }
  }

  const parseList = (): string[] => {
    const open = consume()
    if (open.kind !== '(') throw unexpected(open, "'('", ' ')
    const next = peek()
    if (next.kind === ')') {
      consume()
      return []
    }
    if (next.kind !== 'identifier' && next.kind !== ',') throw unexpected(next, "',', ')' or identifier")
    const values = [...parseMembers()].sort()
    consume()
    return values
  }

  const parseRequirement = (): LabelRequirement => {
    const absent = peek().kind === '!'
    if (absent) consume()
    const key = consume()
    if (key.kind !== 'identifier') throw unexpected(key, 'identifier')
    checkKey(key.text)
    if (absent) return { key: key.text, operator: 'DoesNotExist', values: [] }
    if (peek().kind === ',' || peek().kind === 'end') return { key: key.text, operator: 'Exists', values: [] }
    const token = consume()
    const operator = token.text === 'in' ? 'In' : token.text === 'notin' ? 'NotIn' : OPERATORS[token.text]
    if (operator === undefined) throw unexpected(token, 'in, notin, =, ==, !=, gt, lt')
    const values = token.kind === 'identifier' ? parseList() : [parseExactValue()]
    const requirement = { key: key.text, operator, values }
    checkValues(requirement)
    return requirement
  }

  return { peek, consume, parseRequirement }
}

const parseRequirements = (text: string): LabelRequirement[] => {
  const { peek, consume, parseRequirement } = createParser(tokenize(text))
  const startsRequirement = (): boolean => peek().kind === 'identifier' || peek().kind === '!'
  const requirements: LabelRequirement[] = []
  if (peek().kind === 'end') return requirements
  if (!startsRequirement()) throw unexpected(peek(), "!, identifier, or 'end of string'")
  for (;;) {
    try {
      requirements.push(parseRequirement())
    } catch (error) {
      throw new SyntaxError(`unable to parse requirement: ${(error as Error).message}`)
    }
    const next = consume()
    if (next.kind === 'end') return requirements
    if (next.kind !== ',') throw unexpected(next, "',' or 'end of string'")
    if (!startsRequirement()) throw unexpected(peek(), "identifier after ','")
  }
}

/** Parses the `labelSelector` of a request. Throws BadRequest with the message of kube-apiserver. */
export const parseLabelSelector = (text: string): LabelMatcher => {
  try {
    return toMatcher(parseRequirements(text))
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(error.message)
    throw error
  }
}
