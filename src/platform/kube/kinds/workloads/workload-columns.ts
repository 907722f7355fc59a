/** The columns that tables of workloads share: counts, containers, images and selectors. */
import type { PodSpec } from 'kubernetes-types/core/v1.d.ts'
import type { LabelSelector } from 'kubernetes-types/meta/v1.d.ts'
import { selectorText } from '#platform/kube/meta'
import type { Column } from '../define-kind.ts'
import { textColumn, wideColumn } from '../standard-columns.ts'

export const countColumn = (name: string, description: string): Column => ({
  ...textColumn(name, description),
  type: 'integer',
})

/** The container columns of `-o wide`. */
export const containerColumns: readonly Column[] = [
  wideColumn('Containers', 'Names of each container in the template.'),
  wideColumn('Images', 'Images referenced by each container in the template.'),
]

/** The selector column of Jobs and CronJobs. */
export const jobSelectorColumn: Column = wideColumn(
  'Selector',
  'A label query over pods that should match the pod count. Normally, the system sets this field for you. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors',
)

export const containerCells = (spec: PodSpec | undefined): [string, string] => {
  const containers = spec?.containers ?? []
  return [containers.map(({ name }) => name).join(','), containers.map(({ image }) => image).join(',')]
}

export const selectorCell = (selector: LabelSelector | undefined): string =>
  selectorText(selector) || '<none>'
