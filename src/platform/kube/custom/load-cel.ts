/** Loads the CEL environment of `x-kubernetes-validations`, with the functions that Kubernetes adds. */
import { createRequire } from 'node:module'
import { type LinearPattern, linearPattern } from '#kit'
import { compareQuantities, parseQuantity } from '#platform/kube/meta'

type Cel = typeof import('@marcbachmann/cel-js')
type Environment = InstanceType<Cel['Environment']>

type Program = (context: { self: unknown; oldSelf?: unknown }) => unknown

interface CelLanguage {
  /** Throws if the expression is invalid. */
  compile(expression: string): Program
  readonly Optional: Cel['Optional']
}

type Ordered = bigint | number | string | boolean

const extreme = (list: readonly Ordered[], better: (a: Ordered, b: Ordered) => boolean): Ordered => {
  if (list.length === 0) throw new Error('min/max called on empty list')
  return list.reduce((best, item) => (better(item, best) ? item : best))
}

/** The library's `matches` backtracks and cannot be replaced, so calls are rewritten to this function. */
const MATCHES = 'matchesLinearly'
/** Matches literals and comments, which are kept, and calls of `matches`, which are rewritten. */
const LITERAL_OR_CALL = new RegExp(
  [
    /[rR]""".*?"""|[rR]'''.*?'''|[rR]"[^"]*"|[rR]'[^']*'/,
    /"""(?:\\.|[^\\])*?"""|'''(?:\\.|[^\\])*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/,
    /\/\/[^\n]*/,
    /\.\s*matches\s*\(/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gs',
)

const withLinearMatches = (expression: string): string =>
  expression.replace(LITERAL_OR_CALL, (token) => (token.startsWith('.') ? `.${MATCHES}(` : token))

const findAll = (pattern: LinearPattern, text: string): string[] => {
  const all: string[] = []
  for (let from = 0; from <= text.length; ) {
    const found = pattern.find(text, from)
    if (found === undefined) return all
    const [start, end] = found
    all.push(text.slice(start, end))
    from = end > start ? end : end + 1
  }
  return all
}

const addStringFunctions = (environment: Environment): void => {
  environment
    .registerFunction(`string.${MATCHES}(string): bool`, (text: string, pattern: string) =>
      linearPattern(pattern).test(text),
    )
    .registerFunction('string.find(string): string', (text: string, pattern: string) => {
      const found = linearPattern(pattern).find(text)
      return found === undefined ? '' : text.slice(...found)
    })
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) =>
      findAll(linearPattern(pattern), text),
    )
    .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) =>
      text.replaceAll(from, () => to),
    )
    .registerFunction(
      'string.charAt(int): string',
      (text: string, index: bigint) => text[Number(index)] ?? '',
    )
    .registerFunction('isURL(string): bool', (text: string) => URL.canParse(text))
}

const addListFunctions = (environment: Environment): void => {
  environment
    .registerFunction('list.isSorted(): bool', (list: readonly Ordered[]) =>
      list.every((item, index) => index === 0 || list[index - 1]! <= item),
    )
    .registerFunction('list.sum(): dyn', (list: readonly any[]) =>
      list.length === 0 ? 0n : list.reduce((sum, item) => sum + item),
    )
    .registerFunction('list.min(): dyn', (list: readonly Ordered[]) => extreme(list, (a, b) => a < b))
    .registerFunction('list.max(): dyn', (list: readonly Ordered[]) => extreme(list, (a, b) => a > b))
    .registerFunction('list.indexOf(dyn): int', (list: readonly unknown[], item: unknown) =>
      BigInt(list.indexOf(item)),
    )
}

class Amount {
  readonly text: string
  constructor(text: string) {
    if (parseQuantity(text) === undefined) throw new Error('quantities must match the regular expression')
    this.text = text
  }
}

const addQuantityFunctions = (environment: Environment): void => {
  environment
    .registerType('Quantity', { ctor: Amount, fields: { text: 'string' } })
    .registerFunction('isQuantity(string): bool', (text: string) => parseQuantity(text) !== undefined)
    .registerFunction('quantity(string): Quantity', (text: string) => new Amount(text))
    .registerFunction('Quantity.compareTo(Quantity): int', (a: Amount, b: Amount) =>
      BigInt(compareQuantities(a.text, b.text)),
    )
    .registerFunction(
      'Quantity.isGreaterThan(Quantity): bool',
      (a: Amount, b: Amount) => compareQuantities(a.text, b.text) > 0,
    )
    .registerFunction(
      'Quantity.isLessThan(Quantity): bool',
      (a: Amount, b: Amount) => compareQuantities(a.text, b.text) < 0,
    )
}

let language: CelLanguage | undefined

/** Loads CEL on first use, because few clusters have rules. */
export const loadCel = (): CelLanguage => {
  if (language !== undefined) return language
  const { Environment, Optional } = createRequire(import.meta.url)('@marcbachmann/cel-js') as Cel
  const environment = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false })
    .registerVariable('self', 'dyn')
    .registerVariable('oldSelf', 'dyn')
  addStringFunctions(environment)
  addListFunctions(environment)
  addQuantityFunctions(environment)
  language = {
    compile: (expression) => environment.parse(withLinearMatches(expression)) as Program,
    Optional,
  }
  return language
}
