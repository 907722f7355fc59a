/** Asks a fault whether its cause is gone, by the objects as they are now. */
import type { Fault, FaultState, Finding, ObjectsView, PlannedFault } from '../spec/index.ts'
import type { LabCore } from './lab-core.ts'

const toObjects = ({ objects, view }: LabCore): ObjectsView => {
  const inSystem = objects
    .list()
    .filter(({ metadata }) => metadata.namespace === undefined || metadata.namespace === view.namespace)
  return {
    get: (kind, name) => inSystem.find((object) => object.kind === kind && object.metadata.name === name),
    list: (kind) => inSystem.filter((object) => object.kind === kind),
  }
}

export const judgeCause = (
  core: LabCore,
  { fault, planned, state }: { fault: Fault; planned: PlannedFault; state: FaultState },
): Finding => {
  const now = toObjects(core)
  const { target, params } = planned
  return fault.isGone({
    system: core.view,
    target,
    params,
    state,
    baseline: now,
    injected: now,
    now,
    facts: {},
  })
}
