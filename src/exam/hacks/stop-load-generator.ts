/** Hack: stops the load generator of the system. */
import { workloadRef } from '#exam/fault-parts'
import type { Hack } from '#spec'

/** The name of the load generator, in systems that have one. A solver cannot stop the laboratory's users. */
const LOAD_GENERATOR = 'loadgenerator'

export const stopLoadGenerator: Hack = {
  name: 'stop-the-load-generator',
  about: 'Scales the load generator of the system to zero, if there is one',
  async act({ api, system }) {
    const workload = system.workloads.find(({ name }) => name === LOAD_GENERATOR)
    if (workload !== undefined) await api.scale(workloadRef(system, workload.service), 0)
  },
}
