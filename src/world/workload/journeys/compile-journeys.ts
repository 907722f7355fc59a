/** Compiles the expressions of journeys. */

import type { Random } from '#kit'
import type { Journey, JourneyStep } from '#spec'
import { type CompiledExpression, createExpressions } from '#world/expressions'

type NamedExpressions = readonly (readonly [string, CompiledExpression])[]

export interface CompiledStep {
  readonly name: string
  readonly method: string
  readonly target: CompiledExpression<string>
  readonly entryPoint?: string | undefined
  readonly headers: readonly (readonly [string, CompiledExpression<string>])[]
  readonly json?: CompiledExpression | undefined
  readonly form?: NamedExpressions | undefined
  readonly lets: NamedExpressions
  readonly expect?: CompiledExpression | undefined
  /** The source of `expect`, for failure details. */
  readonly expectation?: string | undefined
  readonly keep: NamedExpressions
  readonly keepInSession: NamedExpressions
  readonly when?: CompiledExpression | undefined
  readonly prepares: boolean
  readonly follow: boolean
  readonly timeoutMs: number
}

export interface CompiledJourney {
  readonly name: string
  readonly weight: number
  readonly needs: readonly string[]
  /** The minimum time between the starts of two requested runs. */
  readonly minIntervalMs: number
  readonly steps: readonly CompiledStep[]
}

export interface CompiledJourneys {
  readonly byName: ReadonlyMap<string, CompiledJourney>
  /**
   * Sets the random source of the expressions that are evaluated next. Evaluation is synchronous, so runs do
   * not interfere.
   */
  drawFrom(random: Random): void
}

const DEFAULT_TIMEOUT_MS = 10_000

export const compileJourneys = (journeys: readonly Journey[], now: () => number): CompiledJourneys => {
  let source: Random | undefined
  const currentRandom = (): Random => {
    if (source === undefined) throw new Error('an expression drew a random value before drawFrom was called')
    return source
  }
  const { compileExpression, compileTemplate } = createExpressions({
    random: () => currentRandom().next(),
    uuid: () => currentRandom().uuid(),
    now: () => Math.floor(now()),
  })

  const compileStep = (step: JourneyStep, location: string): CompiledStep => {
    const compileOptional = (text: string | undefined, field: string): CompiledExpression | undefined =>
      text === undefined ? undefined : compileExpression(text, `${location}.${field}`)
    const compileNamed = (record: Readonly<Record<string, string>> = {}, field = ''): NamedExpressions =>
      Object.entries(record).map(([name, text]) => [
        name,
        compileExpression(text, `${location}.${field}.${name}`),
      ])
    const space = step.request.indexOf(' ')
    return {
      name: step.name,
      method: step.request.slice(0, space),
      target: compileTemplate(step.request.slice(space + 1), `${location}.request`),
      entryPoint: step.entryPoint,
      headers: Object.entries(step.headers ?? {}).map(([name, text]) => [
        name.toLowerCase(),
        compileTemplate(text, `${location}.headers.${name}`),
      ]),
      json: compileOptional(step.json, 'json'),
      form: step.form && compileNamed(step.form, 'form'),
      lets: compileNamed(step.let, 'let'),
      expect: compileOptional(step.expect, 'expect'),
      expectation: step.expect,
      keep: compileNamed(step.keep, 'keep'),
      keepInSession: compileNamed(step.keepInSession, 'keepInSession'),
      when: compileOptional(step.when, 'when'),
      prepares: step.prepares ?? false,
      follow: step.follow ?? true,
      timeoutMs: step.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    }
  }

  const compile = ({ name, weight, needs = [], maxPerSecond, steps }: Journey): CompiledJourney => ({
    name,
    weight,
    needs,
    minIntervalMs: maxPerSecond === undefined ? 0 : 1000 / maxPerSecond,
    steps: steps.map((step) => compileStep(step, `${name}.${step.name}`)),
  })
  return {
    byName: new Map(journeys.map((journey) => [journey.name, compile(journey)])),
    drawFrom(random) {
      source = random
    },
  }
}
