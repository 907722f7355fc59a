/** The cheap answer of keeping users away. */
import { workloadRef } from '../fault-parts/index.ts'
import type { Hack } from '../spec/index.ts'

/** The users who judge are the laboratory's and out of reach; a system may have some of its own. */
const LOAD_GENERATOR = 'loadgenerator'

export const killTheLoadGenerator: Hack = {
  name: 'kill-the-load-generator',
  about: 'Scales the load generator of the system to no pods, where there is one',
  async act({ api, system }) {
    const found = system.workloads.find(({ name }) => name === LOAD_GENERATOR)
    if (found !== undefined) await api.scale(workloadRef(system, found.service), 0)
  },
}
