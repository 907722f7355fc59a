/** Inspects the containers of a simulated pod: their files. Settings of processes are not modelled. */
import type { ContainerInspection } from '#spec'
import type { InspectedPods } from './inspected-pods.ts'

/** Undefined if the pod is not running. */
export const inspectContainers = (
  pods: InspectedPods,
  uid: string,
): readonly ContainerInspection[] | undefined =>
  pods
    .find(uid)
    ?.containers()
    .map(({ id, name, resources }) => ({
      ...{ id, name, processes: [], deletedFiles: [] },
      ...resources.files.listAll(),
    }))
