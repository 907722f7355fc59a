/** The cheap answer of not looking any more. */
import { workloadRef } from '../fault-parts/index.ts'
import type { Hack } from '../spec/index.ts'

const isWatchedBy = (annotation: string): boolean => annotation.startsWith('prometheus.io/')

export const silenceAlerts: Hack = {
  name: 'silence-alerts',
  about: 'Takes the annotations away by which the service is watched',
  async act({ api, system, target }) {
    const { template } = system.workloadOf(target.service).manifest.spec as {
      template: { metadata?: { annotations?: Record<string, string> } }
    }
    const found = Object.keys(template.metadata?.annotations ?? {}).filter(isWatchedBy)
    if (found.length === 0) return
    const annotations = Object.fromEntries(found.map((name) => [name, null]))
    await api.patch(workloadRef(system, target.service), 'strategic', {
      spec: { template: { metadata: { annotations } } },
    })
  },
}
