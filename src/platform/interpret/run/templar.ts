/** Renders values of a playbook with the variables of one task, and converts errors to those of Ansible. */
import { isPlainObject } from '#kit'
import { AnsibleError, UndefinedVariable, UnexpectedFailure } from '../load/ansible-error.ts'
import type { TemplateErrorKind, Templates } from '../ports.ts'
import { UnsupportedPlaybook } from '../unsupported-playbook.ts'

export type Variables = Record<string, unknown>

/** Recognises errors by their names: importing the room of the templates would force tests to use it. */
const convert = (error: unknown, value: unknown): unknown => {
  if (!(error instanceof Error)) return error
  if (error.name === 'UnsupportedTemplate') {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return new UnsupportedPlaybook(`the template ${String(text).slice(0, 200)} (${error.message})`)
  }
  if (error.name !== 'TemplateError') return error
  const { kind } = error as Error & { kind?: TemplateErrorKind }
  if (kind === 'undefined') return new UndefinedVariable(error.message)
  return kind === 'python' ? new UnexpectedFailure(error.message) : new AnsibleError(error.message)
}

export interface Templar {
  /** Tasks add their loop variables and results. */
  readonly variables: Variables
  render(value: unknown): unknown
  renderName(value: unknown): unknown
  renderVariable(value: unknown): unknown
  renderBare(text: string): unknown
  evaluate(conditions: readonly unknown[]): unknown
  readonly omit: string
}

/** Rejects values other than plain data, such as floats without a fraction, which only the templates support. */
const checkPlain = (value: unknown): unknown => {
  if (Array.isArray(value)) for (const item of value) checkPlain(item)
  else if (isPlainObject(value)) for (const member of Object.values(value)) checkPlain(member)
  else if (typeof value === 'object' && value !== null)
    throw new UnsupportedPlaybook(`a value of the type ${value.constructor.name}`)
  return value
}

export const createTemplar = (templates: Templates, variables: Variables): Templar => {
  const attempt = (value: unknown, action: () => unknown): unknown => {
    try {
      return action()
    } catch (error) {
      throw convert(error, value)
    }
  }
  return {
    variables,
    omit: templates.omit,
    render: (value) => checkPlain(attempt(value, () => templates.render(value, variables))),
    renderName: (value) => attempt(value, () => templates.renderName(value, variables)),
    renderVariable: (value) => attempt(value, () => templates.renderVariable(value, variables)),
    renderBare: (text) => checkPlain(attempt(text, () => templates.renderBare(text, variables))),
    evaluate: (conditions) => attempt(conditions, () => templates.evaluate(conditions, variables)),
  }
}
