/** The pod template of a workload, and the service it is for. */
import type { ApiObject, PodSpecView } from '../spec/index.ts'

export type Marks = Readonly<Record<string, string>>

export interface Template {
  readonly metadata?: { readonly labels?: Marks; readonly annotations?: Marks }
  readonly spec: PodSpecView
}

/** Older records have huge objects without their spec. */
export const templateOf = ({ spec }: ApiObject): Template =>
  (spec as { template: Template } | undefined)?.template ?? { spec: { containers: [] } }

/** The label `app` of its pods. */
export const serviceOf = (workload: ApiObject): string =>
  templateOf(workload).metadata?.labels?.app ?? workload.metadata.name
