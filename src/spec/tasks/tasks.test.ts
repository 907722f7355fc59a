/** Tests that tasks and questions are declared consistently, and that docs/problems.md lists the tasks. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answerNamesIn, QUESTIONS } from './all-questions.ts'
import { answerNamesOf, TASKS, type Task, taskOf } from './all-tasks.ts'
import { toFaultTruth } from './truth.ts'

const DOCUMENT = join(import.meta.dirname, '..', '..', '..', 'docs', 'problems.md')

describe('tasks', () => {
  it('have different names', () => {
    expect(new Set(TASKS).size).toBe(TASKS.length)
    expect(TASKS.map((name) => taskOf(name).name)).toEqual(TASKS)
  })

  it('ask a question or require a repair', () => {
    for (const { repairs, questions } of TASKS.map(taskOf)) expect(repairs || questions.length > 0).toBe(true)
  })

  it('ask for the answers of their questions', () => {
    expect(answerNamesOf('analysis')).toEqual(['layer', 'type'])
    expect(answerNamesOf('mitigation')).toEqual([])
    expect(answerNamesOf('end-to-end')).toEqual(['detected', 'services', 'layer', 'type'])
  })

  it('are rejected if unknown', () => {
    expect(() => taskOf('guessing' as Task)).toThrow('There is no task "guessing", only detection, ')
  })

  it('are documented with their default reports and budgets', () => {
    const rows = [
      ...readFileSync(DOCUMENT, 'utf8').matchAll(/^\| `([a-z-]+)` \| .+ \| `(\w+)` \| (\d+) \| (\d+) \|$/gm),
    ].map(([, name, report, steps, seconds]) => ({
      name,
      report,
      budget: { steps: Number(steps), seconds: Number(seconds) },
    }))
    expect(rows).toEqual(
      TASKS.map(taskOf).map(({ name, reports, budget }) => ({ name, report: reports[0], budget })),
    )
  })
})

describe('questions', () => {
  it('have different names, answers and metrics', () => {
    for (const values of [
      QUESTIONS.map(({ name }) => name),
      QUESTIONS.flatMap(answerNamesIn),
      QUESTIONS.flatMap(({ time, measures = [] }) => [time.metric, ...measures.map(({ metric }) => metric)]),
    ])
      expect(new Set<string>(values).size).toBe(values.length)
  })
})

it('the truth about a fault lists the best layer and type first, and the target as culprit by default', () => {
  const faultCase = { system: {} as never, target: { service: 'cart' }, params: {} }
  const fault = { layer: 'network', otherLayers: ['hardware'], type: 'code-defect' } as const
  expect(toFaultTruth(fault, faultCase)).toEqual({
    culprits: ['cart'],
    layers: ['network', 'hardware'],
    types: ['code-defect'],
    afterMs: 0,
  })
  expect(toFaultTruth({ ...fault, culprits: () => ['front'] }, faultCase, 7)).toMatchObject({
    culprits: ['front'],
    afterMs: 7,
  })
})
