/** Finds the service to which a workload belongs. */
import { type ApiObject, podTemplateOf } from '#spec'

/** The label `app` of its pods; by default its own name. */
export const serviceOf = (workload: ApiObject): string =>
  podTemplateOf(workload)?.metadata?.labels?.app ?? workload.metadata.name
