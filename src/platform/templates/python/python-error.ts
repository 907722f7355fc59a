/** An exception that Python code of Jinja or Ansible would raise at this point. Emulated `except` clauses catch only this class. */

const MODULES = {
  AttributeError: '',
  IndexError: '',
  KeyError: '',
  OverflowError: '',
  TypeError: '',
  ValueError: '',
  ZeroDivisionError: '',
  AssertionError: '',
  FilterArgumentError: 'jinja2.exceptions.',
  TemplateRuntimeError: 'jinja2.exceptions.',
  TemplateSyntaxError: 'jinja2.exceptions.',
  UndefinedError: 'jinja2.exceptions.',
  AnsibleError: 'ansible.errors.',
  AnsibleFilterError: 'ansible.errors.',
  AnsibleFilterTypeError: 'ansible.errors.',
  AnsibleTemplateError: 'ansible.errors.',
  AnsibleUndefinedVariable: 'ansible.errors.',
  JSONDecodeError: 'json.decoder.',
  YAMLError: 'yaml.',
  error: 're.',
  Error: 'binascii.',
} as const

export type PythonErrorKind = keyof typeof MODULES

export class PythonError extends Error {
  readonly kind: PythonErrorKind

  constructor(kind: PythonErrorKind, message: string) {
    super(message)
    this.kind = kind
  }

  /** Such as `<class 'ansible.errors.AnsibleError'>`. */
  get className(): string {
    return `<class '${MODULES[this.kind]}${this.kind}'>`
  }

  /** Ansible's own type errors are type errors of Python, too. */
  get isTypeError(): boolean {
    return this.kind === 'TypeError' || this.kind === 'AnsibleFilterTypeError'
  }

  get isAnsible(): boolean {
    return this.kind.startsWith('Ansible')
  }

  /** Whether Ansible treats it as an undefined variable. */
  get isUndefined(): boolean {
    return this.kind === 'UndefinedError' || this.kind === 'AnsibleUndefinedVariable'
  }
}

export const typeError = (message: string): PythonError => new PythonError('TypeError', message)
export const valueError = (message: string): PythonError => new PythonError('ValueError', message)
export const filterError = (message: string): PythonError => new PythonError('AnsibleFilterError', message)
