/** Journeys whose expressions are compiled, ready to be walked. */
import { type CompiledExpression, createExpressions } from '../expressions/index.ts'
import type { Random } from '../kit/index.ts'
import type { Journey, JourneyStep } from '../spec/index.ts'

type Named = readonly (readonly [string, CompiledExpression])[]

export interface CompiledStep {
  readonly name: string
  readonly method: string
  readonly target: CompiledExpression<string>
  readonly entryPoint?: string | undefined
  readonly headers: readonly (readonly [string, CompiledExpression<string>])[]
  readonly json?: CompiledExpression | undefined
  readonly form?: Named | undefined
  readonly lets: Named
  readonly expect?: CompiledExpression | undefined
  /** In words, for those who ask why it was not met. */
  readonly expectation?: string | undefined
  readonly keep: Named
  readonly keepInSession: Named
  readonly when?: CompiledExpression | undefined
  readonly prepares: boolean
  readonly follow: boolean
  readonly timeoutMs: number
}

export interface CompiledJourney {
  readonly name: string
  readonly weight: number
  readonly needs: readonly string[]
  /** Between two walks that are asked for. */
  readonly leastPauseMs: number
  readonly steps: readonly CompiledStep[]
}

export interface CompiledJourneys {
  readonly byName: ReadonlyMap<string, CompiledJourney>
  /** Expressions draw from this one until another is named; they are evaluated without waiting in between. */
  drawFrom(random: Random): void
}

const DEFAULT_TIMEOUT_MS = 10_000

export const compileJourneys = (journeys: readonly Journey[], now: () => number): CompiledJourneys => {
  let source: Random | undefined
  const current = (): Random => {
    if (source === undefined) throw new Error('drawFrom was not called before an expression drew')
    return source
  }
  const { compileExpression, compileTemplate } = createExpressions({
    random: () => current().next(),
    uuid: () => current().uuid(),
    now: () => Math.floor(now()),
  })

  const compileStep = (step: JourneyStep, where: string): CompiledStep => {
    const optional = (text: string | undefined, field: string): CompiledExpression | undefined =>
      text === undefined ? undefined : compileExpression(text, `${where}.${field}`)
    const named = (record: Readonly<Record<string, string>> = {}, field = ''): Named =>
      Object.entries(record).map(([name, text]) => [
        name,
        compileExpression(text, `${where}.${field}.${name}`),
      ])
    const space = step.request.indexOf(' ')
    return {
      name: step.name,
      method: step.request.slice(0, space),
      target: compileTemplate(step.request.slice(space + 1), `${where}.request`),
      entryPoint: step.entryPoint,
      headers: Object.entries(step.headers ?? {}).map(([name, text]) => [
        name.toLowerCase(),
        compileTemplate(text, `${where}.headers.${name}`),
      ]),
      json: optional(step.json, 'json'),
      form: step.form && named(step.form, 'form'),
      lets: named(step.let, 'let'),
      expect: optional(step.expect, 'expect'),
      expectation: step.expect,
      keep: named(step.keep, 'keep'),
      keepInSession: named(step.keepInSession, 'keepInSession'),
      when: optional(step.when, 'when'),
      prepares: step.prepares ?? false,
      follow: step.follow ?? true,
      timeoutMs: step.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    }
  }

  const compile = ({ name, weight, needs = [], mostPerSecond, steps }: Journey): CompiledJourney => ({
    name,
    weight,
    needs,
    leastPauseMs: mostPerSecond === undefined ? 0 : 1000 / mostPerSecond,
    steps: steps.map((step) => compileStep(step, `${name}.${step.name}`)),
  })
  return {
    byName: new Map(journeys.map((journey) => [journey.name, compile(journey)])),
    drawFrom(random) {
      source = random
    },
  }
}
