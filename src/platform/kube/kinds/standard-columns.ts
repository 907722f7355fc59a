/** Columns and cells that most `kubectl get` tables share. */
import { ageOf, type Stored } from '#platform/kube/meta'
import type { Cell, Column, PrintContext } from './define-kind.ts'

/** A column of text that is always shown. */
export const textColumn = (name: string, description: string): Column => ({
  name,
  type: 'string',
  description,
  priority: 0,
})

/** A column of text that only `-o wide` shows. */
export const wideColumn = (name: string, description: string): Column => ({
  ...textColumn(name, description),
  priority: 1,
})

export const nameColumn: Column = {
  ...textColumn(
    'Name',
    'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names',
  ),
  format: 'name',
}

export const ageColumn: Column = textColumn(
  'Age',
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata',
)

export const ageCell = (object: Stored<unknown>, { now }: PrintContext): string =>
  ageOf(object.metadata.creationTimestamp, now)

/** The default table: name and creation time. */
export const plainTable = {
  columns: [nameColumn, { ...ageColumn, name: 'Created At', type: 'date' }] satisfies Column[],
  row: (object: Stored<unknown>): Cell[] => [object.metadata.name, object.metadata.creationTimestamp],
}

/** Formats labels or a selector as `a=1,b=2`, or `<none>`. */
export const labelsText = (labels: Readonly<Record<string, string>> | undefined): string => {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`)
  return pairs.length === 0 ? '<none>' : pairs.sort().join(',')
}
