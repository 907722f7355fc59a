/** Asks a fault whether somebody has mended it, by the cluster as it is now. */
import type { Fault, FaultContext, FaultState, ObjectsView, PlannedFault } from '../spec/index.ts'
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

export const isCauseGone = async (
  core: LabCore,
  { fault, planned, state }: { fault: Fault; planned: PlannedFault; state: FaultState },
  context: FaultContext,
): Promise<boolean> => {
  const facts = (await fault.probe?.(context, state).catch(() => undefined)) ?? {}
  const now = toObjects(core)
  const { target, params } = planned
  return fault.isGone({ system: core.view, target, params, state, baseline: now, injected: now, now, facts })
    .holds
}
