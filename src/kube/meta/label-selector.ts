/** Label selectors: the object form of specs, and the text form of requests. */
import type { LabelSelector } from 'kubernetes-types/meta/v1.d.ts'
import { badRequest } from './api-error.ts'

export type Labels = Readonly<Record<string, string>> | undefined
export type LabelMatcher = (labels: Labels) => boolean

type Operator = 'Equals' | 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt'

interface Requirement {
  key: string
  operator: Operator
  values: readonly string[]
}

/** Whether labels meet one requirement; node affinity uses `Gt` and `Lt` too. */
export const meetsRequirement = (labels: Labels, { key, operator, values }: Requirement): boolean => {
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (operator) {
    case 'Equals':
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    case 'Gt':
      return value !== undefined && Number.parseInt(value, 10) > Number.parseInt(values[0] ?? '', 10)
    case 'Lt':
      return value !== undefined && Number.parseInt(value, 10) < Number.parseInt(values[0] ?? '', 10)
  }
}

const requirementsOf = (selector: LabelSelector): Requirement[] => [
  ...Object.entries(selector.matchLabels ?? {}).map(
    ([key, value]): Requirement => ({ key, operator: 'Equals', values: [value] }),
  ),
  ...(selector.matchExpressions ?? []).map(
    ({ key, operator, values }): Requirement => ({
      key,
      operator: operator as Operator,
      values: values ?? [],
    }),
  ),
]

/** An absent selector matches nothing, an empty one everything. */
export const matcherOf = (selector: LabelSelector | undefined): LabelMatcher => {
  if (selector === undefined) return () => false
  const requirements = requirementsOf(selector)
  return (labels) => requirements.every((requirement) => meetsRequirement(labels, requirement))
}

/** The text form that `scale` and `kubectl` show: `app=web,tier in (a,b)`. */
export const selectorText = (selector: LabelSelector | undefined): string =>
  selector === undefined
    ? ''
    : requirementsOf(selector)
        .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
        .map(({ key, operator, values }) => {
          const list = [...values].sort().join(',')
          if (operator === 'Exists') return key
          if (operator === 'DoesNotExist') return `!${key}`
          if (operator === 'Equals') return `${key}=${list}`
          if (operator === 'In') return `${key} in (${list})`
          return `${key} notin (${list})`
        })
        .join(',')

/** Whether every pair of `wanted` is in `labels`: the selectors of Services. */
export const hasLabels = (labels: Labels, wanted: Readonly<Record<string, string>>): boolean =>
  Object.entries(wanted).every(([key, value]) => labels?.[key] === value)

interface Token {
  kind: 'identifier' | '=' | '==' | '!=' | '!' | ',' | '(' | ')' | '<' | '>' | 'end'
  text: string
}

const SPECIAL = new Set(['=', '!', '(', ')', '>', '<', ','])

const tokenize = (text: string): Token[] => {
  const tokens: Token[] = []
  let index = 0
  while (index < text.length) {
    const letter = text[index]!
    if (/\s/.test(letter)) {
      index += 1
      continue
    }
    const two = text.slice(index, index + 2)
    if (two === '==' || two === '!=') {
      tokens.push({ kind: two, text: two })
      index += 2
    } else if (SPECIAL.has(letter)) {
      tokens.push({ kind: letter as Token['kind'], text: letter })
      index += 1
    } else {
      const start = index
      while (index < text.length && !SPECIAL.has(text[index]!) && !/\s/.test(text[index]!)) index += 1
      tokens.push({ kind: 'identifier', text: text.slice(start, index) })
    }
  }
  tokens.push({ kind: 'end', text: '' })
  return tokens
}

const KEY = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/
const VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/

const expected = (token: Token, what: string): never => {
  throw badRequest(`unable to parse requirement: found '${token.text}', expected: ${what}`)
}

/** Reads the `labelSelector` of a request; throws BadRequest in the server's words. */
export const parseLabelSelector = (text: string): LabelMatcher => {
  const tokens = tokenize(text)
  let position = 0
  const peek = (): Token => tokens[position]!
  const take = (): Token => tokens[position++]!

  const value = (): string => {
    const token = take()
    if (token.kind !== 'identifier') {
      position -= 1
      return ''
    }
    if (token.text.length > 63 || !VALUE.test(token.text)) {
      throw badRequest(
        `unable to parse requirement: values[0][${tokens[0]!.text}]: Invalid value: ${JSON.stringify(token.text)}: a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      )
    }
    return token.text
  }

  const list = (): string[] => {
    if (peek().kind !== '(') expected(peek(), "'('")
    take()
    const values: string[] = []
    while (peek().kind !== ')') {
      values.push(value())
      if (peek().kind === ',') take()
      else if (peek().kind !== ')') expected(peek(), "',', or ')'")
    }
    take()
    return values
  }

  const key = (): string => {
    const token = take()
    if (token.kind !== 'identifier')
      expected(token, token.kind === 'end' ? "!, identifier, or 'end of string'" : 'identifier')
    if (!KEY.test(token.text) || token.text.split('/').at(-1)!.length > 63) {
      throw badRequest(
        `unable to parse requirement: <nil>: Invalid value: ${JSON.stringify(token.text)}: name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      )
    }
    return token.text
  }

  const requirement = (): Requirement => {
    if (peek().kind === '!') {
      take()
      return { key: key(), operator: 'DoesNotExist', values: [] }
    }
    const name = key()
    const next = peek()
    if (next.kind === ',' || next.kind === 'end') return { key: name, operator: 'Exists', values: [] }
    take()
    if (next.kind === '=' || next.kind === '==') return { key: name, operator: 'In', values: [value()] }
    if (next.kind === '!=') return { key: name, operator: 'NotIn', values: [value()] }
    if (next.kind === '>' || next.kind === '<')
      return { key: name, operator: next.kind === '>' ? 'Gt' : 'Lt', values: [value()] }
    if (next.text === 'in') return { key: name, operator: 'In', values: list() }
    if (next.text === 'notin') return { key: name, operator: 'NotIn', values: list() }
    return expected(next, 'in, notin, =, ==, !=, gt, lt')
  }

  const requirements: Requirement[] = []
  while (peek().kind !== 'end') {
    requirements.push(requirement())
    if (peek().kind === 'end') break
    if (peek().kind !== ',') expected(peek(), "',' or 'end of string'")
    take()
    if (peek().kind === 'end') expected(peek(), "identifier after ','")
  }
  return (labels) => requirements.every((one) => meetsRequirement(labels, one))
}
