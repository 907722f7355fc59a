/** ConfigMap. */
import type { ConfigMap } from 'kubernetes-types/core/v1.d.ts'
import { type FieldError, invalid, type Stored, tooLong } from '../meta/index.ts'
import { DATA_LIMIT, encodedSize, validateFrozen, validateKeys } from './data-keys.ts'
import { defineKind } from './define-kind.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from './standard-columns.ts'

const validateData = ({ data = {}, binaryData = {} }: Stored<ConfigMap>): FieldError[] => {
  const size =
    Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value), 0) +
    Object.values(binaryData).reduce((sum, value) => sum + encodedSize(value), 0)
  return [
    ...validateKeys(Object.keys(data), 'data'),
    ...Object.keys(data)
      .filter((key) => Object.hasOwn(binaryData, key))
      .map((key) => invalid(`data[${key}]`, key, 'duplicate of key present in binaryData')),
    ...validateKeys(Object.keys(binaryData), 'binaryData'),
    ...(size > DATA_LIMIT ? [tooLong('[]', DATA_LIMIT)] : []),
  ]
}

export const configMaps = defineKind<ConfigMap>({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  singular: 'configmap',
  shortNames: ['cm'],
  namespaced: true,
  hasStatus: false,
  validate: (map, old) => [
    ...validateData(map),
    ...(old === undefined ? [] : validateFrozen(map, old, ['data', 'binaryData'])),
  ],
  columns: [nameColumn, textColumn('Data', 'Number of entries.'), ageColumn],
  row: (map, context) => [
    map.metadata.name,
    Object.keys(map.data ?? {}).length + Object.keys(map.binaryData ?? {}).length,
    ageCell(map, context),
  ],
})
