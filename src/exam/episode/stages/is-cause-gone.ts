/** Checks whether the cause of an injected fault is gone, in the current state of the cluster. */
import type { Fault, FaultContext, FaultState, ObjectsView, PlannedFault } from '#spec'
import type { Equipment } from '../laboratory/equipment.ts'

const toObjects = ({ objects, view }: Equipment): ObjectsView => {
  const inSystem = objects
    .list()
    .filter(({ metadata }) => metadata.namespace === undefined || metadata.namespace === view.namespace)
  return {
    get: (kind, name) => inSystem.find((object) => object.kind === kind && object.metadata.name === name),
    list: (kind) => inSystem.filter((object) => object.kind === kind),
  }
}

export const isCauseGone = async (
  equipment: Equipment,
  { fault, planned, state }: { fault: Fault; planned: PlannedFault; state: FaultState },
  context: FaultContext,
): Promise<boolean> => {
  const facts = (await fault.probe?.(context, state).catch(() => undefined)) ?? {}
  const now = toObjects(equipment)
  const { target, params } = planned
  const { view: system } = equipment
  return fault.isGone({ system, target, params, state, baseline: now, injected: now, now, facts }).holds
}
