/** Evaluates the templates of playbooks as ansible-core 2.14 does, in process. */
import type { Random } from '#kit'
import type { EvaluationSources } from './create-context.ts'
import { evaluateConditions } from './evaluate-condition.ts'
import { Evaluation } from './evaluation.ts'
import { PythonError } from './python/python-error.ts'
import { TemplateError, UnsupportedTemplate } from './template-error.ts'
import { UnsafeValue } from './unsafe-value.ts'
import { isPossiblyTemplate, renderStructure } from './variables.ts'
import { resetWork } from './work.ts'

/**
 * The values may contain templates; see `UnsafeValue`, `Float` and `Dict`. `hostvars` is an object with the variables of each host.
 * `omit` and `vars` are always defined.
 */
export type Variables = Readonly<Record<string, unknown>>

export interface TemplatesOptions {
  /** Milliseconds since 1970. The time zone is UTC. */
  now(): number
  readonly random: Random
  /** The environment of ansible-playbook, for `lookup('env', ...)`, which is not supported without it. */
  readonly environment?: Readonly<Record<string, string>>
}

/** All functions throw TemplateError if Ansible would fail, and UnsupportedTemplate if the behaviour of Ansible is not modelled. */
export interface Templates {
  /** Renders all strings in a value, such as the arguments of a module. The result contains no UnsafeValue. */
  render(value: unknown, variables: Variables): unknown
  /** Like `render`, but leaves strings with undefined variables unchanged, as in the names of tasks. */
  renderName(value: unknown, variables: Variables): unknown
  /** Like `render`, for a value that becomes a variable: parts that must not be rendered again are UnsafeValue. */
  renderVariable(value: unknown, variables: Variables): unknown
  /** Like `render`; the name of a variable, or an expression with a filter, needs no braces, as in `debug: var=NAME`. */
  renderBare(text: string, variables: Variables): unknown
  /** One condition or a list of them: true, false, or a value of another type, for `isTruthy`. */
  evaluate(condition: unknown, variables: Variables): unknown
  /** The value of `omit`: arguments of modules with this value are omitted. */
  readonly omit: string
}

const HEX = '0123456789abcdef'

const guard = <T>(run: () => T): T => {
  resetWork()
  try {
    return run()
  } catch (error) {
    if (error instanceof RangeError) throw new UnsupportedTemplate('nesting this deep')
    if (!(error instanceof PythonError)) throw error
    throw new TemplateError(
      error.isUndefined ? 'undefined' : error.isAnsible ? 'ansible' : 'python',
      error.message,
    )
  }
}

const needsMark = ({ value, isUnsafe }: { value: unknown; isUnsafe: boolean }): boolean =>
  isUnsafe && (typeof value === 'string' || (typeof value === 'object' && value !== null))

const bareExpression = (text: string, variables: Variables): string => {
  const name = text.split('|')[0]!.split('.')[0]!.split('[')[0]!
  const isBare = (text.includes('|') || Object.hasOwn(variables, name)) && !text.includes('{{')
  return isBare ? `{{${text}}}` : text
}

export const createTemplates = ({ now, random, environment }: TemplatesOptions): Templates => {
  const suffix = Array.from({ length: 40 }, () => HEX[random.below(16)]).join('')
  const sources: EvaluationSources = { now, environment, omit: `__omit_place_holder__${suffix}` }
  const evaluationOf = (variables: Variables): Evaluation => new Evaluation(sources, variables)

  return {
    omit: sources.omit,
    render(value, variables) {
      if (typeof value === 'string' && !isPossiblyTemplate(value)) return value
      return guard(() => evaluationOf(variables).render(value).value)
    },
    renderName: (value, variables) => guard(() => evaluationOf(variables).render(value, true).value),
    renderVariable: (value, variables) =>
      guard(() => {
        const evaluation = evaluationOf(variables)
        return renderStructure(
          value,
          (text) => {
            const rendered = evaluation.renderText(text)
            return needsMark(rendered) ? new UnsafeValue(rendered.value) : rendered.value
          },
          (unsafe) => unsafe,
        )
      }),
    renderBare: (text, variables) =>
      guard(() => evaluationOf(variables).render(bareExpression(text, variables)).value),
    evaluate: (condition, variables) =>
      guard(() =>
        evaluateConditions(evaluationOf(variables), Array.isArray(condition) ? condition : [condition]),
      ),
  }
}
