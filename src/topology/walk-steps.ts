/** Goes through the steps of a service, those inside other steps too. */
import type { YamlPath } from '../kit/index.ts'
import type { Behaviour, Step } from '../spec/index.ts'

/** A list of steps that is done as a whole: of an endpoint, a queue, a start. */
export interface StepList {
  /** The key of the endpoint or the queue, the name of the work, or `start`. */
  readonly name: string
  readonly kind: 'endpoint' | 'consumer' | 'every' | 'start'
  readonly steps: readonly Step[]
  /** Where it stands in the service. */
  readonly path: YamlPath
}

export const stepListsOf = (behaviour: Behaviour): StepList[] => [
  ...(behaviour.start === undefined
    ? []
    : [{ name: 'start', kind: 'start' as const, steps: behaviour.start, path: ['start'] }]),
  ...Object.entries(behaviour.endpoints ?? {}).map(([name, { steps = [] }]) => ({
    name,
    steps,
    kind: 'endpoint' as const,
    path: ['endpoints', name, 'steps'],
  })),
  ...Object.entries(behaviour.consumes ?? {}).map(([name, { steps }]) => ({
    name,
    steps,
    kind: 'consumer' as const,
    path: ['consumes', name, 'steps'],
  })),
  ...Object.entries(behaviour.every ?? {}).map(([name, { steps }]) => ({
    name,
    steps,
    kind: 'every' as const,
    path: ['every', name, 'steps'],
  })),
]

export interface WalkedStep {
  readonly step: Step
  readonly path: YamlPath
}

/** Every step once, in the order in which they stand; what is inside one comes behind it. */
export const walkSteps = (steps: readonly Step[], path: YamlPath): WalkedStep[] =>
  steps.flatMap((step, index) => {
    const own = [...path, index]
    const inner =
      'do' in step
        ? walkSteps(step.do, [...own, 'do'])
        : 'parallel' in step
          ? walkSteps(step.parallel, [...own, 'parallel'])
          : []
    return [{ step, path: own }, ...inner]
  })
