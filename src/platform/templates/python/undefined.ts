/** Jinja's undefined values: most operations on them fail, with a message that names the missing variable, attribute or item. */
import { PythonError } from './python-error.ts'

export interface UndefinedOrigin {
  /** The complete message, for a value without a name. */
  readonly hint?: string
  /** Jinja's description of the value that lacks the attribute or item, such as `dict object`; omitted for variables. */
  readonly owner?: string
  /** The name of the variable, attribute or item. */
  readonly name?: unknown
  /** The name as Python prints it. */
  readonly nameRepr?: string
}

export class Undefined {
  readonly origin: UndefinedOrigin
  /** False for an inline `if` without `else`, whose value is printed as an empty string. */
  readonly isStrict: boolean

  constructor(origin: UndefinedOrigin, isStrict = true) {
    this.origin = origin
    this.isStrict = isStrict
  }

  get pythonType(): string {
    return this.isStrict ? 'AnsibleUndefined' : 'Undefined'
  }

  get pythonModule(): string {
    return this.isStrict ? 'ansible.template.native_helpers' : 'jinja2.runtime'
  }

  get message(): string {
    const { hint, owner, name, nameRepr } = this.origin
    if (hint !== undefined && hint !== '') return hint
    if (owner === undefined) return `${nameRepr} is undefined`
    return typeof name === 'string'
      ? `'${owner}' has no attribute ${nameRepr}`
      : `${owner} has no element ${nameRepr}`
  }

  fail(): never {
    throw new PythonError('UndefinedError', this.message)
  }
}

/** Fails if a value is undefined. */
export const checkDefined = (value: unknown): void => {
  if (value instanceof Undefined) value.fail()
}
