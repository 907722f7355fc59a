/** Tells which expressions of a step cannot be read. */
import type { YamlPath } from '../kit/index.ts'
import type { JourneyStep } from '../spec/index.ts'
import { splitTemplate } from './template.ts'

type Tell = (path: YamlPath, text: string) => void

const checkTemplate = (template: string, path: YamlPath, tell: Tell): void => {
  if (splitTemplate(template) === undefined) tell(path, 'has an expression "${" that does not end')
}

export const checkExpressions = (step: JourneyStep, tell: Tell): void => {
  checkTemplate(step.request, ['request'], tell)
  for (const [header, text] of Object.entries(step.headers ?? {}))
    checkTemplate(text, ['headers', header], tell)
}
