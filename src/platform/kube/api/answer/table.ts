/** Encodes objects as a Table, the form that `kubectl get` prints. */
import type { Column } from '#platform/kube/kinds'
import { badRequest, type KubeObject } from '#platform/kube/meta'
import type { Served } from '#platform/kube/resources'
import type { ObjectList } from '../objects/list-objects.ts'
import { type ListForm, listMetaJson, metadataJson, objectJson } from './encode.ts'

export interface TableOptions {
  /** `meta.k8s.io/v1` or `v1beta1`. */
  apiVersion: string
  include: 'None' | 'Metadata' | 'Object'
  now: number
}

export const readInclude = (query: URLSearchParams): TableOptions['include'] => {
  const include = query.get('includeObject') || 'Metadata'
  if (include !== 'None' && include !== 'Metadata' && include !== 'Object') {
    throw badRequest(`unrecognized includeObject value: ${JSON.stringify(include)}`)
  }
  return include
}

const toColumnDefinition = ({ name, type, format, description, priority }: Column): object => ({
  name,
  type,
  format: format ?? '',
  description,
  priority,
})

const rowObjectJson = (object: KubeObject, { include, apiVersion }: TableOptions, cache: boolean): string => {
  if (include === 'None') return 'null'
  return include === 'Object' ? objectJson(object, cache) : metadataJson(object, apiVersion, cache)
}

const rowJson = (served: Served, object: KubeObject, options: TableOptions, cache = true): string => {
  const cells = JSON.stringify(served.row(object, { now: options.now }))
  const conditions = served.kind.rowConditions?.(served.fromServed(object)) ?? []
  const conditionsJson = conditions.length === 0 ? '' : `"conditions":${JSON.stringify(conditions)},`
  return `{"cells":${cells},${conditionsJson}"object":${rowObjectJson(object, options, cache)}}`
}

const head = (apiVersion: string): string =>
  `{"kind":"Table","apiVersion":${JSON.stringify(apiVersion)},"metadata":`

/** The JSON before the rows. */
const opening = (
  served: Served,
  metadata: string,
  { apiVersion }: TableOptions,
  withColumns = true,
): string => {
  const columns = withColumns ? JSON.stringify(served.kind.columns.map(toColumnDefinition)) : 'null'
  return `${head(apiVersion)}${metadata},"columnDefinitions":${columns},"rows":[`
}

export const tableForm = (served: Served, list: ObjectList, options: TableOptions): ListForm => ({
  head: opening(served, listMetaJson(list), options),
  item: (object, cache) => rowJson(served, object, options, cache),
  tail: ']}',
})

/** A table with one row: the answer to a GET, or an event of a watch (only the first event has columns). */
export const objectTable = (
  served: Served,
  object: KubeObject,
  options: TableOptions,
  withColumns = true,
): string => {
  const metadata = JSON.stringify({ resourceVersion: object.metadata.resourceVersion })
  return `${opening(served, metadata, options, withColumns)}${rowJson(served, object, options)}]}`
}
