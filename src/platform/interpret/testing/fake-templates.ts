/** Templates for tests of the interpreter: names with dots, literals, `==`, `not`, `is defined` and a division by zero only. */
import { isPlainObject } from '#kit'
import type { TemplateErrorKind, Templates, Variables } from '../ports.ts'

class TemplateError extends Error {
  override readonly name = 'TemplateError'
  readonly kind: TemplateErrorKind

  constructor(kind: TemplateErrorKind, message: string) {
    super(message)
    this.kind = kind
  }
}

class UnsupportedTemplate extends Error {
  override readonly name = 'UnsupportedTemplate'
}

const undefinedError = (message: string): TemplateError =>
  new TemplateError('undefined', `${message}. ${message}`)

const lookUp = (path: string, variables: Variables): unknown => {
  const [name = '', ...members] = path.split('.')
  if (!Object.hasOwn(variables, name)) throw undefinedError(`'${name}' is undefined`)
  let value = render(variables[name], variables)
  for (const member of members) {
    const next = (value as Variables | undefined)?.[member]
    if (next === undefined) throw undefinedError(`'dict object' has no attribute '${member}'`)
    value = next
  }
  return value
}

const evaluateExpression = (expression: string, variables: Variables): unknown => {
  const text = expression.trim()
  const defined = /^([\w.]+) is (not )?defined$/.exec(text)
  if (defined !== null) {
    const [, path = '', not] = defined
    try {
      lookUp(path, variables)
      return not === undefined
    } catch {
      return not !== undefined
    }
  }
  if (text.startsWith('not ')) return !evaluateExpression(text.slice(4), variables)
  const [left, right, ...rest] = text.split('==')
  if (right !== undefined && rest.length === 0)
    return evaluateExpression(left!, variables) === evaluateExpression(right, variables)
  if (/^-?\d+$/.test(text)) return Number(text)
  if (/^(['"]).*\1$/.test(text)) return text.slice(1, -1)
  if (text === '1 / 0') throw new TemplateError('python', 'division by zero')
  if (text === 'true' || text === 'false') return text === 'true'
  if (/^[A-Za-z_][\w.]*$/.test(text)) return lookUp(text, variables)
  throw new UnsupportedTemplate(`the expression ${text}`)
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const renderText = (text: string, variables: Variables): unknown => {
  if (text.includes('{%')) throw new UnsupportedTemplate('a statement')
  const whole = /^\{\{\s*((?:(?!\}\}).)*?)\s*\}\}$/s.exec(text)
  if (whole !== null) return evaluateExpression(whole[1]!, variables)
  return text.replaceAll(/\{\{\s*(.*?)\s*\}\}/g, (_, expression: string) =>
    toText(evaluateExpression(expression, variables)),
  )
}

const render = (value: unknown, variables: Variables): unknown => {
  if (typeof value === 'string') return /\{[{%]/.test(value) ? renderText(value, variables) : value
  if (Array.isArray(value)) return value.map((item) => render(item, variables))
  if (!isPlainObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, render(member, variables)]))
}

const evaluateOne = (condition: unknown, variables: Variables): unknown => {
  if (typeof condition !== 'string') return condition
  try {
    return evaluateExpression(condition, variables)
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw new TemplateError(
      'ansible',
      `The conditional check '${condition}' failed. The error was: error while evaluating conditional (${condition}): ${error.message}`,
    )
  }
}

export const fakeTemplates: Templates = {
  omit: '__omit__',
  render,
  renderName(value, variables) {
    try {
      return render(value, variables)
    } catch (error) {
      if (error instanceof TemplateError) return value
      throw error
    }
  },
  renderVariable: render,
  renderBare: (text, variables) => render(Object.hasOwn(variables, text) ? `{{ ${text} }}` : text, variables),
  evaluate(condition, variables) {
    const conditions: readonly unknown[] = Array.isArray(condition) ? condition : [condition]
    for (const each of conditions) if (!evaluateOne(each, variables)) return false
    return true
  },
}
