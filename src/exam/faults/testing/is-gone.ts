/** Evaluates `isGone` of faults on the objects of a test. */
import { defined } from '#kit'
import type { ApiObject, CauseSnapshot, CauseState, FaultTarget, ObjectsView, SystemView } from '#spec'
import { loadFault } from '../index.ts'

const toView = (objects: readonly ApiObject[]): ObjectsView => ({
  get: (kind, name) => objects.find((object) => object.kind === kind && object.metadata.name === name),
  list: (kind) => objects.filter((object) => object.kind === kind),
})

export type Container = Record<string, unknown> & { env?: { name: string; value?: string }[] }

/** The deployed objects, with the first container of one service changed. */
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

/** Returns a change of a container that sets one variable. */
export const setVariable =
  (name: string, value: string) =>
  (container: Container): void => {
    container.env = [...(container.env ?? []).filter((variable) => variable.name !== name), { name, value }]
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

export interface GoneCase {
  readonly fault: string
  readonly system: SystemView
  readonly target: FaultTarget
  readonly params?: Record<string, number | string>
  readonly state?: Record<string, unknown>
  readonly facts?: Record<string, unknown>
  readonly injected?: readonly ApiObject[]
  /** By default the deployed objects. */
  readonly baseline?: readonly ApiObject[]
  /** The version of the rules; the current one by default. */
  readonly rules?: number
}

export const judgeGone = async (
  { fault, system, target, params = {}, state = {}, facts = {}, injected, baseline, rules }: GoneCase,
  now: readonly ApiObject[],
): Promise<CauseState> => {
  const before = toView(baseline ?? system.objects)
  const snapshot: CauseSnapshot = {
    system,
    target,
    params,
    state,
    facts,
    baseline: before,
    injected: injected === undefined ? before : toView(injected),
    now: toView(now),
    ...defined({ rules }),
  }
  return (await loadFault(fault)).isGone(snapshot)
}

export const isGone = async (goneCase: GoneCase, now: readonly ApiObject[]): Promise<boolean> =>
  (await judgeGone(goneCase, now)).holds
