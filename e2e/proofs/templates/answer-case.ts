/** Evaluates a case without Ansible. */
import {
  TemplateError,
  type Templates,
  UnsafeValue,
  UnsupportedTemplate,
  type Variables,
} from '#platform/templates'
import type { Answer, Case, CaseVariables } from './case.ts'
import { toTagged } from './tagged-value.ts'

export const toVariables = ({ variables, unsafe }: CaseVariables): Variables => ({
  ...variables,
  ...Object.fromEntries(Object.entries(unsafe).map(([name, value]) => [name, new UnsafeValue(value)])),
})

const evaluate = (templates: Templates, { kind, text }: Case, variables: Variables): unknown => {
  if (kind === 'render') return templates.render(text, variables)
  return kind === 'bare' ? templates.renderBare(text, variables) : templates.evaluate(text, variables)
}

/** Errors other than those of templates are defects, and are thrown. */
export const answerCase = (templates: Templates, testCase: Case, variables: Variables): Answer => {
  try {
    return { value: toTagged(evaluate(templates, testCase, variables)) }
  } catch (error) {
    if (error instanceof TemplateError) return { error: error.kind, message: error.message }
    if (error instanceof UnsupportedTemplate) return { unsupported: error.feature }
    throw error
  }
}
