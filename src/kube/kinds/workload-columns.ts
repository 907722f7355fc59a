/** The columns that tables of workloads share: counts, containers, images and selectors. */
import type { PodSpec } from 'kubernetes-types/core/v1.d.ts'
import type { LabelSelector } from 'kubernetes-types/meta/v1.d.ts'
import { selectorText } from '../meta/index.ts'
import type { Column } from './define-kind.ts'
import { textColumn, wideColumn } from './standard-columns.ts'

export const countColumn = (name: string, description: string): Column => ({
  ...textColumn(name, description),
  type: 'integer',
})

/** What the workload runs, for `-o wide`. */
export const containerColumns: readonly Column[] = [
  wideColumn('Containers', 'Names of the containers.'),
  wideColumn('Images', 'Images the containers run.'),
]

export const selectorColumn: Column = wideColumn('Selector', 'Labels by which its pods are found.')

export const containerCells = (spec: PodSpec | undefined): [string, string] => {
  const containers = spec?.containers ?? []
  return [containers.map(({ name }) => name).join(','), containers.map(({ image }) => image).join(',')]
}

export const selectorCell = (selector: LabelSelector | undefined): string =>
  selectorText(selector) || '<none>'

export const replicaColumns: readonly Column[] = [
  countColumn('Desired', 'Pods that are wanted.'),
  countColumn('Current', 'Pods that there are.'),
  countColumn('Ready', 'Pods that are ready.'),
]
