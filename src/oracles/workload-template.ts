/** The pod template of a workload, and the service it is for. */
import type { ApiObject, PodSpecView } from '../spec/index.ts'

export type Marks = Readonly<Record<string, string>>

export interface Template {
  readonly metadata?: { readonly labels?: Marks; readonly annotations?: Marks }
  readonly spec: PodSpecView
}

export const templateOf = ({ spec }: ApiObject): Template => (spec as { template: Template }).template

/** The label `app` of its pods. */
export const serviceOf = (workload: ApiObject): string =>
  templateOf(workload).metadata?.labels?.app ?? workload.metadata.name
