/** What a right fix of an episode's faults may touch. */
import {
  type Fault,
  type FaultCase,
  type FaultState,
  type PlannedFault,
  RemediumError,
} from '../spec/index.ts'
import type { EpisodeFacts } from './episode-view.ts'
import { isSameIntent } from './intent.ts'
import { isWorkload } from './readiness.ts'
import { serviceOf } from './workload-template.ts'

export interface ServicePermission {
  readonly anyGoodRelease: boolean
  readonly probes: readonly string[]
  /** Whether its pods may be told where to go. */
  readonly placement: boolean
  /** Whether an autoscaler may be set over it. */
  readonly growth: boolean
}

export interface Permissions {
  /** Nothing is wrong that does not heal by itself: the right answer is to change nothing. */
  readonly nothing: boolean
  readonly services: ReadonlyMap<string, ServicePermission>
  /** Whether the node may be cordoned, and its pods moved away. */
  mayEmpty(node: string | undefined): boolean
}

/** The fault of this name; a record that names another cannot be judged. */
export const faultOf = ({ faults }: EpisodeFacts, name: string): Fault => {
  const fault = faults.get(name)
  if (fault === undefined)
    throw new RemediumError('bad-file', `The record names the fault "${name}", which does not exist.`)
  return fault
}

export const toCase = ({ system }: EpisodeFacts, { target, params }: PlannedFault): FaultCase => ({
  system,
  target,
  params,
})

/** The nodes that a fault was put on, by what is remembered of it; nothing where that does not tell. */
const nodesOf = (state: FaultState): readonly string[] | undefined => {
  if (typeof state.node === 'string') return [state.node]
  return Array.isArray(state.nodes) ? state.nodes : undefined
}

/** Services whose workload the fault itself has changed: to change it back replaces its pods. */
const changedByFault = ({ objects }: EpisodeFacts): string[] =>
  [...objects.baseline]
    .filter(([key, one]) => isWorkload(one) && !isSameIntent(one, objects.injected.get(key)))
    .map(([, one]) => serviceOf(one))

/** To be changed back, and begun anew. */
const LEAST: ServicePermission = { anyGoodRelease: false, probes: [], placement: false, growth: false }

/** Services that must leave a node that a fault was put on, by what is remembered of it: who lets their pods begin anew moves them. */
const leavingServices = ({ services }: FaultState): readonly string[] =>
  Array.isArray(services) ? services : []

/** Whether by any of the words that are true of it there is too little to serve with. */
const isShortage = ({ type, otherTypes = [] }: Fault): boolean =>
  [type, ...otherTypes].includes('capacity-shortage')

export const permissionsOf = (view: EpisodeFacts): Permissions => {
  const services = new Map<string, ServicePermission>()
  const nodes: (readonly string[] | undefined)[] = []
  let isLasting = false
  for (const [index, planned] of (view.problem?.faults ?? []).entries()) {
    if (planned.shape.kind === 'transient') continue
    isLasting = true
    const fault = faultOf(view, planned.fault)
    const scope = fault.scope?.(toCase(view, planned)) ?? { services: [planned.target.service] }
    const { state = {} } = view.injections.get(index) ?? {}
    if (scope.nodes === true) {
      nodes.push(nodesOf(state))
      for (const service of leavingServices(state))
        services.set(service, { ...(services.get(service) ?? LEAST), placement: true })
    }
    for (const service of scope.services) {
      const before = services.get(service)
      services.set(service, {
        anyGoodRelease: before?.anyGoodRelease === true || scope.anyGoodRelease === true,
        probes: [...(before?.probes ?? []), ...(scope.probes ?? [])],
        placement: before?.placement === true || scope.nodes === true,
        growth: before?.growth === true || isShortage(fault),
      })
    }
  }
  if (isLasting)
    for (const service of changedByFault(view)) services.set(service, services.get(service) ?? LEAST)
  return {
    nothing: !isLasting,
    services,
    mayEmpty: (node) => nodes.some((names) => names === undefined || names.includes(node ?? '')),
  }
}
