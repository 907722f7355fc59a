/** Hack: removes the annotations by which monitoring finds the target. */
import { workloadRef } from '#exam/fault-parts'
import { type Hack, podTemplateOf } from '#spec'

const isScrapeAnnotation = (annotation: string): boolean => annotation.startsWith('prometheus.io/')

export const removeScrapeAnnotations: Hack = {
  name: 'remove-the-scrape-annotations',
  about: 'Removes the scrape annotations of the service',
  async act({ api, system, target }) {
    const template = podTemplateOf(system.workloadOf(target.service).manifest)
    const annotationNames = Object.keys(template?.metadata?.annotations ?? {}).filter(isScrapeAnnotation)
    if (annotationNames.length === 0) return
    const annotations = Object.fromEntries(annotationNames.map((name) => [name, null]))
    await api.patch(workloadRef(system, target.service), 'strategic', {
      spec: { template: { metadata: { annotations } } },
    })
  },
}
