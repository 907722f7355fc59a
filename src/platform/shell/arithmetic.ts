/** Evaluates `$((...))`: whole numbers of 64 bits. */

/** A mistake in an expression. The message is that of dash. */
export class ArithmeticError extends Error {}

export interface ArithmeticVariables {
  get(name: string): string | undefined
  set(name: string, value: string): void
}

const TOKEN =
  /\s*(0[xX][0-9a-fA-F]+|\d+|[A-Za-z_]\w*|<<=|>>=|&&|\|\||[-+*/%&|^]=|<<|>>|[<>=!]=|[-+*/%()<>=!~&|^?:,])/y

const tokenise = (text: string): string[] => {
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  const end = text.trimEnd().length
  while (TOKEN.lastIndex < end) {
    const found = TOKEN.exec(text)
    if (found === null) throw new ArithmeticError(`arithmetic expression: expecting primary: "${text}"`)
    tokens.push(found[1]!)
  }
  return tokens
}

const wrap = (value: bigint): bigint => BigInt.asIntN(64, value)
const toNumber = (isTrue: boolean): bigint => (isTrue ? 1n : 0n)

const divide = (a: bigint, b: bigint, operator: string, text: string): bigint => {
  if (b === 0n) throw new ArithmeticError(`arithmetic expression: division by zero: "${text}"`)
  return operator === '/' ? a / b : a % b
}

const LEVELS: readonly (readonly string[])[] = [
  ['|'],
  ['^'],
  ['&'],
  ['==', '!='],
  ['<', '<=', '>', '>='],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '%'],
]

const BINARY: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  '|': (a, b) => a | b,
  '^': (a, b) => a ^ b,
  '&': (a, b) => a & b,
  '==': (a, b) => toNumber(a === b),
  '!=': (a, b) => toNumber(a !== b),
  '<': (a, b) => toNumber(a < b),
  '<=': (a, b) => toNumber(a <= b),
  '>': (a, b) => toNumber(a > b),
  '>=': (a, b) => toNumber(a >= b),
  '<<': (a, b) => a << (b & 63n),
  '>>': (a, b) => a >> (b & 63n),
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
}

const parseNumber = (value: string): bigint => {
  if (!/^\s*[-+]?(?:0[xX][0-9a-fA-F]+|\d+)\s*$/.test(value))
    throw new ArithmeticError(`Illegal number: ${value}`)
  const trimmed = value.trim()
  const digits = trimmed.replace(/^[-+]/, '')
  const number = BigInt(/^0\d/.test(digits) ? `0o${digits.slice(1)}` : digits)
  return wrap(trimmed.startsWith('-') ? -number : number)
}

/** Returns the decimal number. */
export const evaluateArithmetic = (text: string, variables: ArithmeticVariables): string => {
  const tokens = tokenise(text)
  let at = 0
  const fail = (): never => {
    throw new ArithmeticError(`arithmetic expression: expecting primary: "${text}"`)
  }
  const take = (token: string): boolean => {
    if (tokens[at] !== token) return false
    at += 1
    return true
  }
  const readVariable = (name: string): bigint => parseNumber(variables.get(name) || '0')

  const primary = (): bigint => {
    const token = tokens[at]
    at += 1
    if (token === undefined) return fail()
    if (token === '(') {
      const value = assignment()
      if (!take(')')) throw new ArithmeticError(`arithmetic expression: expecting ')': "${text}"`)
      return value
    }
    if (token === '-') return wrap(-primary())
    if (token === '+') return primary()
    if (token === '!') return toNumber(primary() === 0n)
    if (token === '~') return ~primary()
    if (/^\d/.test(token)) return parseNumber(token)
    return /^[A-Za-z_]/.test(token) ? readVariable(token) : fail()
  }
  const combine = (a: bigint, operator: string, b: bigint): bigint =>
    wrap(operator === '/' || operator === '%' ? divide(a, b, operator, text) : BINARY[operator]!(a, b))
  const binary = (level: number): bigint => {
    const operators = LEVELS[level]
    if (operators === undefined) return primary()
    let value = binary(level + 1)
    while (operators.includes(tokens[at] ?? '')) {
      const operator = tokens[at]!
      at += 1
      value = combine(value, operator, binary(level + 1))
    }
    return value
  }
  const and = (): bigint => {
    let value = binary(0)
    while (take('&&')) value = toNumber(binary(0) !== 0n && value !== 0n)
    return value
  }
  const or = (): bigint => {
    let value = and()
    while (take('||')) value = toNumber(and() !== 0n || value !== 0n)
    return value
  }
  const conditional = (): bigint => {
    const condition = or()
    if (!take('?')) return condition
    const whenTrue = assignment()
    if (!take(':')) return fail()
    const whenFalse = conditional()
    return condition !== 0n ? whenTrue : whenFalse
  }
  const assignment = (): bigint => {
    const name = tokens[at] ?? ''
    const [, operator] = /^([-+*/%&|^]|<<|>>)?=$/.exec(tokens[at + 1] ?? '') ?? []
    if (!/^[A-Za-z_]/.test(name) || !/^(?:[-+*/%&|^]|<<|>>)?=$/.test(tokens[at + 1] ?? ''))
      return conditional()
    at += 2
    const right = assignment()
    const value = operator === undefined ? right : combine(readVariable(name), operator, right)
    variables.set(name, String(value))
    return value
  }

  if (tokens.length === 0) return '0'
  const value = assignment()
  if (at < tokens.length) throw new ArithmeticError(`arithmetic expression: expecting EOF: "${text}"`)
  return String(value)
}
