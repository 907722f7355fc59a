/** Finds services that policies restrict to certain calls now, and did not restrict before. */
import type { ObjectsView, SystemView } from '#spec'
import { isOpen, NEW_WORKLOADS } from './network-access.ts'

/** Includes new workloads, which a policy restricts if it selects all pods, or all but some. */
export const findRestrictedServices = (
  system: SystemView,
  before: ObjectsView,
  now: ObjectsView,
): readonly string[] =>
  now.list('NetworkPolicy').length === 0
    ? []
    : [...system.workloads.map(({ service }) => service), NEW_WORKLOADS].filter(
        (service) => !isOpen(now, system, service) && isOpen(before, system, service),
      )
