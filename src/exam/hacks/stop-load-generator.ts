/** Hack: stops the load generator of the system. */
import { workloadRef } from '#exam/fault-parts'
import type { Hack } from '#spec'

/** The load generator of the system; the laboratory's users are out of reach. */
const LOAD_GENERATOR = 'loadgenerator'

export const stopLoadGenerator: Hack = {
  name: 'kill-the-load-generator',
  about: 'Scales the load generator of the system to zero, if there is one',
  async act({ api, system }) {
    const workload = system.workloads.find(({ name }) => name === LOAD_GENERATOR)
    if (workload !== undefined) await api.scale(workloadRef(system, workload.service), 0)
  },
}
