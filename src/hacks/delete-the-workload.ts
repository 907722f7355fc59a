/** The cheap answer of doing away with what is ill. */
import { ignoreMissing, workloadRef } from '../fault-parts/index.ts'
import type { Hack } from '../spec/index.ts'

export const deleteTheWorkload: Hack = {
  name: 'delete-the-workload',
  about: 'Deletes the workload of the service',
  act: ({ api, system, target }) => ignoreMissing(api.delete(workloadRef(system, target.service))),
}
