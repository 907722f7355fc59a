/** The language of `x-kubernetes-validations`: CEL with the functions that Kubernetes adds to it. */
import { createRequire } from 'node:module'
import { compareQuantities, readQuantity } from '../meta/index.ts'

type Cel = typeof import('@marcbachmann/cel-js')
type Environment = InstanceType<Cel['Environment']>

interface CelLanguage {
  readonly environment: Environment
  readonly Optional: Cel['Optional']
}

type Ordered = bigint | number | string | boolean

const extreme = (list: readonly Ordered[], better: (a: Ordered, b: Ordered) => boolean): Ordered => {
  if (list.length === 0) throw new Error('min/max called on empty list')
  return list.reduce((best, item) => (better(item, best) ? item : best))
}

const addStrings = (environment: Environment): void => {
  environment
    .registerFunction(
      'string.find(string): string',
      (text: string, pattern: string) => new RegExp(pattern, 'u').exec(text)?.[0] ?? '',
    )
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) =>
      [...text.matchAll(new RegExp(pattern, 'gu'))].map(([found]) => found),
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

const addLists = (environment: Environment): void => {
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
    if (readQuantity(text) === undefined) throw new Error('quantities must match the regular expression')
    this.text = text
  }
}

const addQuantities = (environment: Environment): void => {
  environment
    .registerType('Quantity', { ctor: Amount, fields: { text: 'string' } })
    .registerFunction('isQuantity(string): bool', (text: string) => readQuantity(text) !== undefined)
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

/** Loaded when the first rule is met: few clusters have any. */
export const celLanguage = (): CelLanguage => {
  if (language !== undefined) return language
  const { Environment, Optional } = createRequire(import.meta.url)('@marcbachmann/cel-js') as Cel
  const environment = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false })
    .registerVariable('self', 'dyn')
    .registerVariable('oldSelf', 'dyn')
  addStrings(environment)
  addLists(environment)
  addQuantities(environment)
  language = { environment, Optional }
  return language
}
