/** Label selectors in the text form of requests: `app=web,tier in (a,b),!canary`. */
import { badRequest } from './api-error.ts'
import { type FieldError, goStrings, invalid } from './field-error.ts'
import { type LabelMatcher, type LabelRequirement, meetsAll } from './label-selector.ts'
import { labelValueProblems, qualifiedNameProblems } from './names.ts'

type Symbol = '=' | '==' | '!=' | '!' | ',' | '(' | ')' | '<' | '>'

interface Token {
  kind: 'identifier' | 'end' | Symbol
  text: string
}

const TOKEN = /[ \t\r\n]*(?:(==|!=|[=!,()<>])|([^ \t\r\n=!,()<>]+)|$)/y

const tokenize = (text: string): Token[] => {
  const tokens: Token[] = []
  TOKEN.lastIndex = 0
  for (;;) {
    const [, symbol, identifier] = TOKEN.exec(text)!
    if (symbol !== undefined) tokens.push({ kind: symbol as Symbol, text: symbol })
    else if (identifier !== undefined) tokens.push({ kind: 'identifier', text: identifier })
    else return [...tokens, { kind: 'end', text: '' }]
  }
}

/** What the parser meets where something else should stand; `separator` is the comma that one message lacks. */
const unexpected = (token: Token, expected: string, separator = ', '): Error =>
  new SyntaxError(`found '${token.text}'${separator}expected: ${expected}`)

const refuseFindings = (findings: readonly FieldError[]): void => {
  const texts = findings.map(({ field, message }) => `${field}: ${message}`)
  if (texts.length === 1) throw new SyntaxError(texts[0])
  if (texts.length > 1) throw new SyntaxError(`[${texts.join(', ')}]`)
}

const checkKey = (key: string): void => {
  const problems = qualifiedNameProblems(key)
  // The parser knows no path for a key, and says so.
  if (problems.length > 0) refuseFindings([invalid('<nil>', key, problems.join('; '))])
}

const isInt64 = (text: string): boolean =>
  /^[+-]?\d+$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text)

const checkValues = ({ key, operator, values }: LabelRequirement): void => {
  const findings: FieldError[] = []
  if ((operator === 'In' || operator === 'NotIn') && values.length === 0)
    findings.push(
      invalid('values', goStrings(values), "for 'in', 'notin' operators, values set can't be empty"),
    )
  if ((operator === 'Gt' || operator === 'Lt') && !isInt64(values[0]!))
    findings.push(invalid('values[0]', values[0], "for 'Gt', 'Lt' operators, the value must be an integer"))
  values.forEach((value, index) => {
    const problems = labelValueProblems(value)
    if (problems.length > 0) findings.push(invalid(`values[${index}][${key}]`, value, problems.join('; ')))
  })
  refuseFindings(findings)
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
  const take = (): Token => (peek().kind === 'end' ? peek() : tokens[position++]!)

  const exactValue = (): string => {
    if (peek().kind === 'end' || peek().kind === ',') return ''
    const token = take()
    if (token.kind !== 'identifier') throw unexpected(token, 'identifier')
    return token.text
  }

  /** What stands between parentheses; nothing between commas is the empty value. */
  const members = (): Set<string> => {
    const values = new Set<string>()
    for (;;) {
      const token = take()
      if (token.kind === 'identifier') {
        values.add(token.text)
        if (peek().kind === ')') return values
        if (peek().kind !== ',') throw unexpected(peek(), "',' or ')'")
      } else if (token.kind === ',') {
        if (values.size === 0) values.add('')
        if (peek().kind === ')') return values.add('')
        if (peek().kind === ',') {
          take()
          values.add('')
        }
      } else throw unexpected(token, "',', or identifier")
    }
  }

  const list = (): string[] => {
    const open = take()
    if (open.kind !== '(') throw unexpected(open, "'('", ' ')
    const next = peek()
    if (next.kind === ')') {
      take()
      return []
    }
    if (next.kind !== 'identifier' && next.kind !== ',') throw unexpected(next, "',', ')' or identifier")
    const values = [...members()].sort()
    take()
    return values
  }

  const requirement = (): LabelRequirement => {
    const absent = peek().kind === '!'
    if (absent) take()
    const key = take()
    if (key.kind !== 'identifier') throw unexpected(key, 'identifier')
    checkKey(key.text)
    if (absent) return { key: key.text, operator: 'DoesNotExist', values: [] }
    if (peek().kind === ',' || peek().kind === 'end') return { key: key.text, operator: 'Exists', values: [] }
    const sign = take()
    const operator = sign.text === 'in' ? 'In' : sign.text === 'notin' ? 'NotIn' : OPERATORS[sign.text]
    if (operator === undefined) throw unexpected(sign, 'in, notin, =, ==, !=, gt, lt')
    const values = sign.kind === 'identifier' ? list() : [exactValue()]
    const found = { key: key.text, operator, values }
    checkValues(found)
    return found
  }

  return { peek, take, requirement }
}

const parseRequirements = (text: string): LabelRequirement[] => {
  const { peek, take, requirement } = createParser(tokenize(text))
  const begins = (): boolean => peek().kind === 'identifier' || peek().kind === '!'
  const requirements: LabelRequirement[] = []
  if (peek().kind === 'end') return requirements
  if (!begins()) throw unexpected(peek(), "!, identifier, or 'end of string'")
  for (;;) {
    try {
      requirements.push(requirement())
    } catch (error) {
      throw new SyntaxError(`unable to parse requirement: ${(error as Error).message}`)
    }
    const next = take()
    if (next.kind === 'end') return requirements
    if (next.kind !== ',') throw unexpected(next, "',' or 'end of string'")
    if (!begins()) throw unexpected(peek(), "identifier after ','")
  }
}

/** Reads the `labelSelector` of a request; throws BadRequest in the server's words. */
export const parseLabelSelector = (text: string): LabelMatcher => {
  try {
    return meetsAll(parseRequirements(text))
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(error.message)
    throw error
  }
}
