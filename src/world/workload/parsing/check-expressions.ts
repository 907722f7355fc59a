/** Reports the expressions of a journey that do not compile, or use a name before it is set. */

import { lazily, type YamlPath } from '#kit'
import type { Journey, JourneyStep } from '#spec'
import { RemediumError } from '#spec'
import { type CompiledExpression, createExpressions } from '#world/expressions'

type Report = (path: YamlPath, text: string) => void

/** Used only to compile expressions, which are never evaluated. */
const expressions = lazily(() => createExpressions({ random: () => 0, now: () => 0, uuid: () => '' }))

/** The compiler prefixes its messages with the location; the prefix is removed again. */
const LOCATION = 'it'

const checkStep = (step: JourneyStep, known: Set<string>, report: Report): void => {
  const check = (compile: () => CompiledExpression, path: YamlPath): void => {
    try {
      for (const name of compile().names)
        if (!known.has(name)) report(path, `uses "${name}", which is not defined here`)
    } catch (error) {
      if (!(error instanceof RemediumError)) throw error
      report(path, `is not a valid expression: ${error.message.slice(LOCATION.length + 2)}`)
    }
  }
  const checkExpression = (source: string | undefined, path: YamlPath): void => {
    if (source !== undefined) check(() => expressions().compileExpression(source, LOCATION), path)
  }
  const checkTemplate = (source: string, path: YamlPath): void =>
    check(() => expressions().compileTemplate(source, LOCATION), path)
  const checkAssignments = (
    assignments: Readonly<Record<string, string>> | undefined,
    field: string,
  ): void => {
    for (const [name, source] of Object.entries(assignments ?? {})) {
      checkExpression(source, [field, name])
      if (field !== 'keepInSession') known.add(name)
    }
  }

  checkExpression(step.when, ['when'])
  checkAssignments(step.let, 'let')
  checkTemplate(step.request, ['request'])
  for (const [header, source] of Object.entries(step.headers ?? {}))
    checkTemplate(source, ['headers', header])
  checkExpression(step.json, ['json'])
  for (const [field, source] of Object.entries(step.form ?? {})) checkExpression(source, ['form', field])
  for (const name of ['status', 'body', 'headers']) known.add(name)
  checkExpression(step.expect, ['expect'])
  checkAssignments(step.keep, 'keep')
  checkAssignments(step.keepInSession, 'keepInSession')
}

/** Reported paths are relative to the journey. */
export const checkExpressions = (journey: Journey, report: Report): void => {
  const known = new Set(['user', 'session'])
  for (const [index, step] of journey.steps.entries())
    checkStep(step, known, (path, text) => report(['steps', index, ...path], text))
}
