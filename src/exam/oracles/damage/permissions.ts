/** Derives the changes that a correct fix of an episode's faults may make. */
import { type Fault, type FaultState, taskOf } from '#spec'
import { isSameIntent } from '../objects/intent.ts'
import { isWorkload } from '../objects/readiness.ts'
import { serviceOf } from '../objects/service-of.ts'
import type { EpisodeFacts } from '../view/episode-view.ts'
import { faultOf, toCase } from '../view/fault-of.ts'

export interface ServicePermission {
  /** Whether it may run any good release, not only the one before the fault. */
  readonly anyGoodRelease: boolean
  /** Probes that may be changed. */
  readonly probes: readonly string[]
  /** Whether the placement of its pods may be changed. */
  readonly placement: boolean
  /** Whether the service lacks capacity, so that an autoscaler and many pods may be added. */
  readonly autoscaler: boolean
  /** Whether its workload may be deleted and recreated: it is in the scope, or the fault changed it. */
  readonly mayRecreate: boolean
}

export interface Permissions {
  /** Whether there is no fault, or only transient ones: the correct fix changes nothing. */
  readonly isChangeless: boolean
  readonly services: ReadonlyMap<string, ServicePermission>
  /** Whether the node may be cordoned, and its pods moved to other nodes. */
  mayDrain(node: string | undefined): boolean
}

/** The first version of the rules in which every workload of the scope may be recreated. */
const RULES_WITH_RECREATION = 3

/** The first version of the rules in which a repair of a probe may also add one of the start. */
const RULES_WITH_STARTUP_PROBES = 7

/** The nodes on which a fault was injected, from its state; undefined if the state does not name them. */
const nodesOf = (state: FaultState): readonly string[] | undefined => {
  if (typeof state.node === 'string') return [state.node]
  return Array.isArray(state.nodes) ? state.nodes : undefined
}

/** Services whose workload the fault changed: reverting the change replaces their pods. */
const servicesChangedByFault = ({ objects }: EpisodeFacts): string[] =>
  [...objects.baseline]
    .filter(([key, object]) => isWorkload(object) && !isSameIntent(object, objects.injected.get(key)))
    .map(([, object]) => serviceOf(object))

/** The workload may be reverted, and its pods restarted. */
const RESTART_ONLY: ServicePermission = {
  anyGoodRelease: false,
  probes: [],
  placement: false,
  autoscaler: false,
  mayRecreate: false,
}

/** Services whose pods must leave the node of a fault, from its state: a restart moves their pods. */
const leavingServices = ({ services }: FaultState): readonly string[] =>
  Array.isArray(services) ? services : []

/** Whether one of the types of the fault is a shortage of capacity. */
const isCapacityShortage = ({ type, otherTypes = [] }: Fault): boolean =>
  [type, ...otherTypes].includes('capacity-shortage')

export const permissionsOf = (view: EpisodeFacts): Permissions => {
  const services = new Map<string, ServicePermission>()
  const nodes: (readonly string[] | undefined)[] = []
  const isRepair = view.problem !== undefined && taskOf(view.problem.task).repairs
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
        services.set(service, { ...(services.get(service) ?? RESTART_ONLY), placement: true })
    }
    const probes = (scope.probes ?? []).filter(
      (probe) => probe !== 'startupProbe' || view.rules >= RULES_WITH_STARTUP_PROBES,
    )
    for (const service of scope.services) {
      const before = services.get(service)
      services.set(service, {
        anyGoodRelease: before?.anyGoodRelease === true || scope.anyGoodRelease === true,
        probes: [...(before?.probes ?? []), ...probes],
        placement: before?.placement === true || scope.nodes === true,
        autoscaler: before?.autoscaler === true || isCapacityShortage(fault),
        mayRecreate:
          before?.mayRecreate === true ||
          (isRepair && (service === planned.target.service || view.rules >= RULES_WITH_RECREATION)),
      })
    }
  }
  if (isLasting)
    for (const service of servicesChangedByFault(view))
      services.set(service, { ...(services.get(service) ?? RESTART_ONLY), mayRecreate: isRepair })
  return {
    isChangeless: !isLasting,
    services,
    mayDrain: (node) => nodes.some((names) => names === undefined || names.includes(node ?? '')),
  }
}
