/** Chooses a workload that has nothing to do with the fault, for hacks that leave damage. */
import type { RepairContext, WorkloadView } from '#spec'

/** A Deployment of a service that no fault targets; undefined if the system has none. */
export const findOtherWorkload = ({
  system,
  target,
  targets = [],
}: Pick<RepairContext, 'system' | 'target' | 'targets'>): WorkloadView | undefined =>
  system.workloads.find(
    ({ service, kind }) => ![target.service, ...targets].includes(service) && kind === 'Deployment',
  )
