/** Evaluates `when`, `until`, `failed_when`, `changed_when` and `that`. */
import type { Evaluation } from './evaluation.ts'
import { PythonError } from './python/python-error.ts'
import { toText } from './python/repr.ts'
import { isTruthy } from './python/truth.ts'
import { templateSource } from './template-source.ts'
import { isPossiblyTemplate } from './variables.ts'

const UNDEFINED_NAME = /'(hostvars\[.+\]|[\p{L}\p{N}_]+)' is undefined/u
const DEFINED_TEST = /(hostvars\[.+\]|[\p{L}\p{N}_]+)\s+(not\s+is|is|is\s+not)\s+(defined|undefined)/gu

/**
 * If the condition tests whether the undefined variable is defined, Ansible ignores the error and returns the result of that test.
 */
const answerOfTest = (condition: string, message: string): boolean | undefined => {
  const name = UNDEFINED_NAME.exec(message)?.[1]?.replaceAll("'", '"')
  if (name === undefined) return undefined
  for (const [, tested, logic, state] of condition.matchAll(DEFINED_TEST)) {
    if (tested!.replaceAll("'", '"') === name) return logic!.includes('not') === (state === 'defined')
  }
  return undefined
}

const checkSyntax = (condition: string): void => {
  if (!isPossiblyTemplate(condition)) return
  try {
    templateSource(condition)
  } catch (error) {
    if (error instanceof PythonError)
      throw new PythonError('AnsibleError', `Invalid conditional detected: ${error.message}`)
    throw error
  }
}

const test = (evaluation: Evaluation, condition: string): boolean => {
  checkSyntax(condition)
  const presented = `{% if ${condition} %} True {% else %} False {% endif %}`
  const answer = toText(evaluation.renderText(presented).value).trim()
  if (answer === 'True' || answer === 'False') return answer === 'True'
  throw new PythonError('AnsibleError', `unable to evaluate conditional: ${condition}`)
}

const check = (evaluation: Evaluation, original: unknown): unknown => {
  let condition = original
  try {
    const { value, isUnsafe } = evaluation.render(original)
    condition = value
    if (typeof value !== 'string' || value === '') return value
    if (isUnsafe)
      throw new PythonError(
        'AnsibleTemplateError',
        'Conditional is marked as unsafe, and cannot be evaluated.',
      )
    return test(evaluation, value)
  } catch (error) {
    if (!(error instanceof PythonError) || !error.isUndefined) throw error
    const answer = typeof condition === 'string' ? answerOfTest(condition, error.message) : undefined
    if (answer !== undefined) return answer
    throw new PythonError(
      'AnsibleUndefinedVariable',
      `error while evaluating conditional (${toText(original)}): ${error.message}`,
    )
  }
}

const evaluateOne = (evaluation: Evaluation, condition: unknown): unknown => {
  if (condition === null || condition === '') return true
  if (typeof condition === 'boolean') return condition
  try {
    return check(evaluation, condition)
  } catch (error) {
    if (!(error instanceof PythonError)) throw error
    throw new PythonError(
      'AnsibleError',
      `The conditional check '${toText(condition)}' failed. The error was: ${error.message}`,
    )
  }
}

/** Stops at the first false condition. Throws PythonError. */
export const evaluateConditions = (evaluation: Evaluation, conditions: readonly unknown[]): unknown => {
  let result: unknown = true
  for (const condition of conditions) {
    result = evaluateOne(evaluation, condition)
    if (!isTruthy(result)) return result
  }
  return result
}
