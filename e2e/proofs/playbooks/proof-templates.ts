/** Templates of the cases: names with dots, literals and `==`. The templates of playbooks have a separate proof. */
import { isPlainObject } from '#kit'
import type { Templates, Variables } from '#platform/interpret'

class TemplateError extends Error {
  override readonly name = 'TemplateError'
  readonly kind: 'undefined' | 'ansible'

  constructor(kind: 'undefined' | 'ansible', message: string) {
    super(message)
    this.kind = kind
  }
}

const undefinedError = (message: string): TemplateError =>
  new TemplateError('undefined', `${message}. ${message}`)

const lookUp = (path: string, variables: Variables): unknown => {
  const [name = '', ...members] = path.split('.')
  if (!Object.hasOwn(variables, name)) throw undefinedError(`'${name}' is undefined`)
  return members.reduce<unknown>(
    (value, member) => {
      const next = (value as Variables | null)?.[member]
      if (next === undefined) throw undefinedError(`'dict object' has no attribute '${member}'`)
      return next
    },
    render(variables[name], variables),
  )
}

const isDefined = (path: string, variables: Variables): boolean => {
  try {
    lookUp(path, variables)
    return true
  } catch (error) {
    if (error instanceof TemplateError) return false
    throw error
  }
}

const evaluate = (text: string, variables: Variables): unknown => {
  const [left = '', right] = text.split('==').map((part) => part.trim())
  if (right !== undefined) return evaluate(left, variables) === evaluate(right, variables)
  if (/^-?\d+$/.test(left)) return Number(left)
  if (/^'.*'$/.test(left)) return left.slice(1, -1)
  const [, path] = /^([\w.]+) is defined$/.exec(left) ?? []
  return path === undefined ? lookUp(left, variables) : isDefined(path, variables)
}

const toText = (value: unknown): string =>
  typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value)

const render = (value: unknown, variables: Variables): unknown => {
  if (Array.isArray(value)) return value.map((item) => render(item, variables))
  if (isPlainObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, render(member, variables)]))
  if (typeof value !== 'string' || !value.includes('{{')) return value
  const [, whole] = /^\{\{ ((?:(?!\}\}).)*) \}\}$/.exec(value) ?? []
  if (whole !== undefined) return evaluate(whole, variables)
  return value.replaceAll(/\{\{ (.*?) \}\}/g, (_, expression: string) =>
    toText(evaluate(expression, variables)),
  )
}

const test = (condition: unknown, variables: Variables): unknown => {
  if (typeof condition !== 'string') return condition
  try {
    return evaluate(condition, variables)
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    const reason = `error while evaluating conditional (${condition}): ${error.message}`
    throw new TemplateError(
      'ansible',
      `The conditional check '${condition}' failed. The error was: ${reason}`,
    )
  }
}

export const proofTemplates: Templates = {
  omit: '__omit__',
  render,
  renderName: render,
  renderVariable: render,
  renderBare: (text, variables) =>
    render(Object.hasOwn(variables, text.split('.')[0]!) ? `{{ ${text} }}` : text, variables),
  evaluate: (condition, variables) =>
    (Array.isArray(condition) ? condition : [condition]).every((each) => test(each, variables) === true),
}
