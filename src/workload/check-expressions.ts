/** Tells which expressions of a journey cannot be read, or use a name that nothing has set by then. */
import { type CompiledExpression, createExpressions } from '../expressions/index.ts'
import { lazily, type YamlPath } from '../kit/index.ts'
import type { Journey, JourneyStep } from '../spec/index.ts'
import { RemediumError } from '../spec/index.ts'

type Tell = (path: YamlPath, text: string) => void

/** Only compiled with, never evaluated. */
const expressions = lazily(() => createExpressions({ random: () => 0, now: () => 0, uuid: () => '' }))

const PLACE = 'it'

const checkStep = (step: JourneyStep, known: Set<string>, tell: Tell): void => {
  const check = (compile: () => CompiledExpression, path: YamlPath): void => {
    try {
      for (const name of compile().names)
        if (!known.has(name)) tell(path, `uses "${name}", which nothing has set by then`)
    } catch (error) {
      if (!(error instanceof RemediumError)) throw error
      tell(path, `cannot be read: ${error.message.slice(PLACE.length + 2)}`)
    }
  }
  const expression = (source: string | undefined, path: YamlPath): void => {
    if (source !== undefined) check(() => expressions().compileExpression(source, PLACE), path)
  }
  const template = (source: string, path: YamlPath): void =>
    check(() => expressions().compileTemplate(source, PLACE), path)
  const sets = (named: Readonly<Record<string, string>> | undefined, under: string): void => {
    for (const [name, source] of Object.entries(named ?? {})) {
      expression(source, [under, name])
      if (under !== 'keepInSession') known.add(name)
    }
  }

  expression(step.when, ['when'])
  sets(step.let, 'let')
  template(step.request, ['request'])
  for (const [header, source] of Object.entries(step.headers ?? {})) template(source, ['headers', header])
  expression(step.json, ['json'])
  for (const [field, source] of Object.entries(step.form ?? {})) expression(source, ['form', field])
  for (const name of ['status', 'body', 'headers']) known.add(name)
  expression(step.expect, ['expect'])
  sets(step.keep, 'keep')
  sets(step.keepInSession, 'keepInSession')
}

/** Paths are told from the journey on. */
export const checkExpressions = (journey: Journey, tell: Tell): void => {
  const known = new Set(['user', 'session'])
  for (const [index, step] of journey.steps.entries())
    checkStep(step, known, (path, text) => tell(['steps', index, ...path], text))
}
