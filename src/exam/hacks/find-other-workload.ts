/** Chooses a workload that is unrelated to the fault, for hacks that cause damage. */
import type { HackSetting, WorkloadView } from '#spec'

/** A Deployment of a service that no fault targets, and that suits; undefined if the system has none. */
export const findOtherWorkload = (
  { system, target, targets = [] }: HackSetting,
  suits: (workload: WorkloadView) => boolean = () => true,
): WorkloadView | undefined =>
  system.workloads.find(
    (workload) =>
      ![target.service, ...targets].includes(workload.service) &&
      workload.kind === 'Deployment' &&
      suits(workload),
  )

export const hasOtherWorkload = (setting: HackSetting): boolean => findOtherWorkload(setting) !== undefined
