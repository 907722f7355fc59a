/** Compares with answers of a real Ansible, which `npm run proof templates -- --record` has recorded. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createRandom } from '#kit'
import { createTemplates, TemplateError, UnsafeValue, UnsupportedTemplate } from './index.ts'
import { repr } from './python/repr.ts'

interface Recorded {
  readonly kind: 'render' | 'condition' | 'bare'
  readonly text: string
  /** The value as Python prints it. */
  readonly repr?: string
  /** The message; true if our message differs. */
  readonly error?: string | true
  readonly isSupported?: false
}

interface Head {
  readonly now: number
  readonly environment: Readonly<Record<string, string>>
  readonly variables: Readonly<Record<string, unknown>>
  readonly unsafe: Readonly<Record<string, unknown>>
}

const lines = readFileSync(join(import.meta.dirname, 'testing/ansible-answers.ndjson'), 'utf8')
  .trim()
  .split('\n')
const head = JSON.parse(lines[0]!) as Head
const cases = lines.slice(1).map((line) => JSON.parse(line) as Recorded)
const variables = {
  ...head.variables,
  ...Object.fromEntries(Object.entries(head.unsafe).map(([name, value]) => [name, new UnsafeValue(value)])),
}
const templates = createTemplates({
  now: () => head.now * 1000,
  // The seed of the proof, because the value of `omit` is in some answers.
  random: createRandom('omit'),
  environment: head.environment,
})

const evaluate = ({ kind, text }: Recorded): unknown => {
  if (kind === 'render') return templates.render(text, variables)
  return kind === 'bare' ? templates.renderBare(text, variables) : templates.evaluate(text, variables)
}

const answerOf = (recorded: Recorded): Omit<Recorded, 'kind' | 'text'> => {
  try {
    return { repr: repr(evaluate(recorded)) }
  } catch (error) {
    if (error instanceof UnsupportedTemplate) return { isSupported: false }
    if (!(error instanceof TemplateError)) throw error
    return { error: recorded.error === true ? true : error.message }
  }
}

describe('the answers of Ansible', () => {
  it.each(['render', 'condition', 'bare'])('are the same: %s', (kind) => {
    const chosen = cases.filter((recorded) => recorded.kind === kind)
    expect(chosen.length).toBeGreaterThan(10)
    const evaluated = chosen.map((recorded) => ({ kind, text: recorded.text, ...answerOf(recorded) }))
    expect(evaluated).toEqual(chosen)
  })

  it('cover values, errors and unsupported templates', () => {
    expect(cases.filter((recorded) => recorded.repr !== undefined).length).toBeGreaterThan(1500)
    expect(cases.filter((recorded) => recorded.error !== undefined).length).toBeGreaterThan(300)
    expect(cases.filter((recorded) => recorded.isSupported === false).length).toBeGreaterThan(30)
  })
})
