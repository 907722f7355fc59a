/** Chooses a workload that is unrelated to the fault, for hacks that cause damage. */
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
