/** Hack: deletes the workload of the target. */
import { ignoreMissing, workloadRef } from '#exam/fault-parts'
import type { Hack } from '#spec'

export const deleteWorkload: Hack = {
  name: 'delete-the-workload',
  about: 'Deletes the workload of the service',
  act: ({ api, system, target }) => ignoreMissing(api.delete(workloadRef(system, target.service))),
}
