/** The ConfigMap kind. */
import type { ConfigMap } from 'kubernetes-types/core/v1.d.ts'
import { type FieldError, invalid, type Stored, tooLong } from '#platform/kube/meta'
import { defineKind } from '../define-kind.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from '../standard-columns.ts'
import { decodedBytes, MAX_DATA_BYTES, validateImmutable, validateKeys } from './data-keys.ts'

const validateData = ({ data = {}, binaryData = {} }: Stored<ConfigMap>): FieldError[] => {
  const size =
    Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value), 0) +
    Object.values(binaryData).reduce((sum, value) => sum + decodedBytes(value), 0)
  return [
    ...validateKeys(Object.keys(data), 'data'),
    ...Object.keys(data)
      .filter((key) => Object.hasOwn(binaryData, key))
      .map((key) => invalid(`data[${key}]`, key, 'duplicate of key present in binaryData')),
    ...validateKeys(Object.keys(binaryData), 'binaryData'),
    ...(size > MAX_DATA_BYTES ? [tooLong('[]', MAX_DATA_BYTES)] : []),
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
    ...(old === undefined ? [] : validateImmutable(map, old, ['data', 'binaryData'])),
  ],
  columns: [
    nameColumn,
    textColumn(
      'Data',
      "Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the BinaryData field. The keys stored in Data must not overlap with the keys in the BinaryData field, this is enforced during validation process.",
    ),
    ageColumn,
  ],
  row: (map, context) => [
    map.metadata.name,
    Object.keys(map.data ?? {}).length + Object.keys(map.binaryData ?? {}).length,
    ageCell(map, context),
  ],
})
