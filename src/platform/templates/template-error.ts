/** The two ways in which a template ends without a value: Ansible would fail, or this evaluator does not support it. */

/**
 * `undefined`: a variable or attribute is missing. `ansible`: another error that Ansible reports with its message. `python`: an
 * error that Ansible reports as "Unexpected failure during module execution.".
 */
export type TemplateErrorKind = 'undefined' | 'ansible' | 'python'

/** Ansible would fail the task; the message is Ansible's. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
  readonly kind: TemplateErrorKind

  constructor(kind: TemplateErrorKind, message: string) {
    super(message)
    this.kind = kind
  }
}

/** The template uses a feature that is not supported; the message names it. Ansible might succeed or fail. */
export class UnsupportedTemplate extends Error {
  override readonly name = 'UnsupportedTemplate'
  readonly feature: string

  constructor(feature: string) {
    super(`not supported: ${feature}`)
    this.feature = feature
  }
}
