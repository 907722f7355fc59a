/** Lists the steps of a service, including nested ones. */
import type { YamlPath } from '#kit'
import type { Behaviour, Step } from '#spec'

/** The steps of an endpoint, a queue, a background task or the start of the service. */
export interface StepList {
  /** The key of the endpoint or the queue, the name of the background task, or `start`. */
  readonly name: string
  readonly kind: 'endpoint' | 'consumer' | 'every' | 'start'
  readonly steps: readonly Step[]
  /** The path of the list in the service. */
  readonly path: YamlPath
}

export const listStepLists = (behaviour: Behaviour): StepList[] => [
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

export interface LocatedStep {
  readonly step: Step
  readonly path: YamlPath
}

/** Returns every step once, in order; nested steps follow their parent. */
export const listSteps = (steps: readonly Step[], path: YamlPath): LocatedStep[] =>
  steps.flatMap((step, index) => {
    const stepPath = [...path, index]
    const nested =
      'do' in step
        ? listSteps(step.do, [...stepPath, 'do'])
        : 'parallel' in step
          ? listSteps(step.parallel, [...stepPath, 'parallel'])
          : []
    return [{ step, path: stepPath }, ...nested]
  })
