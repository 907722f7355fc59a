/** Asks faults whether they are gone from objects that a test has made, beside those that the system is deployed with. */
import type { ApiObject, FaultTarget, ObjectsView, Scene, SystemView } from '../spec/index.ts'
import { loadFault } from './index.ts'

const toView = (objects: readonly ApiObject[]): ObjectsView => ({
  get: (kind, name) => objects.find((one) => one.kind === kind && one.metadata.name === name),
  list: (kind) => objects.filter((one) => one.kind === kind),
})

export type Container = Record<string, unknown> & { env?: { name: string; value?: string }[] }

/** The deployed objects with the first container of one service changed. */
export const withContainer = (
  system: SystemView,
  service: string,
  change: (container: Container, podSpec: Record<string, unknown>) => void,
): readonly ApiObject[] =>
  system.objects.map((object) => {
    if (object !== system.workloadOf(service).manifest) return object
    const copy = structuredClone(object)
    const { spec } = (copy.spec as { template: { spec: { containers: Container[] } } }).template
    change(spec.containers[0]!, spec)
    return copy
  })

export const setVariable =
  (name: string, value: string) =>
  (container: Container): void => {
    container.env = [...(container.env ?? []).filter((one) => one.name !== name), { name, value }]
  }

export const withObject = (
  system: SystemView,
  kind: string,
  name: string,
  change: (object: Record<string, unknown>) => void,
): readonly ApiObject[] =>
  system.objects.map((object) => {
    if (object.kind !== kind || object.metadata.name !== name) return object
    const copy = structuredClone(object)
    change(copy as Record<string, unknown>)
    return copy
  })

export interface Asked {
  readonly fault: string
  readonly system: SystemView
  readonly target: FaultTarget
  readonly params?: Record<string, number | string>
  readonly state?: Record<string, unknown>
  readonly facts?: Record<string, unknown>
  readonly injected?: readonly ApiObject[]
  /** As the system is deployed where absent. */
  readonly baseline?: readonly ApiObject[]
}

export const isGone = async (
  { fault, system, target, params = {}, state = {}, facts = {}, injected, baseline }: Asked,
  now: readonly ApiObject[],
): Promise<boolean> => {
  const before = toView(baseline ?? system.objects)
  const scene: Scene = {
    system,
    target,
    params,
    state,
    facts,
    baseline: before,
    injected: injected === undefined ? before : toView(injected),
    now: toView(now),
  }
  return (await loadFault(fault)).isGone(scene).holds
}
