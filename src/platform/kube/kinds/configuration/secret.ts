/** The Secret kind. */
import type { Secret } from 'kubernetes-types/core/v1.d.ts'
import { type FieldError, invalid, required, type Stored, tooLong } from '#platform/kube/meta'
import { defineKind } from '../define-kind.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from '../standard-columns.ts'
import { decodedBytes, MAX_DATA_BYTES, validateImmutable, validateKeys } from './data-keys.ts'

const ACCOUNT_ANNOTATION = 'kubernetes.io/service-account.name'

const missingKeyErrors = (data: Readonly<Record<string, string>>, keys: readonly string[]): FieldError[] =>
  keys.filter((key) => !Object.hasOwn(data, key)).map((key) => required(`data[${key}]`))

/** Returns the message of Go's JSON decoder, as far as the first character determines it. */
const jsonProblem = (text: string): string | undefined => {
  try {
    JSON.parse(text)
    return undefined
  } catch {
    const first = text.trim()[0]
    return first === undefined || first === '{'
      ? 'unexpected end of JSON input'
      : `invalid character '${first}' looking for beginning of value`
  }
}

const validateJson = (data: Readonly<Record<string, string>>, key: string): FieldError[] => {
  const absent = missingKeyErrors(data, [key])
  if (absent.length > 0) return absent
  const problem = jsonProblem(Buffer.from(data[key]!, 'base64').toString())
  return problem === undefined ? [] : [invalid(`data[${key}]`, '<secret contents redacted>', problem)]
}

/** Validates the required data of well-known Secret types. */
const validateType = (secret: Stored<Secret>): FieldError[] => {
  const data = secret.data ?? {}
  switch (secret.type) {
    case 'kubernetes.io/service-account-token':
      return (secret.metadata.annotations?.[ACCOUNT_ANNOTATION] ?? '') === ''
        ? [required(`metadata.annotations[${ACCOUNT_ANNOTATION}]`)]
        : []
    case 'kubernetes.io/dockercfg':
      return validateJson(data, '.dockercfg')
    case 'kubernetes.io/dockerconfigjson':
      return validateJson(data, '.dockerconfigjson')
    case 'kubernetes.io/basic-auth': {
      const absent = missingKeyErrors(data, ['username', 'password'])
      return absent.length === 2 ? absent : []
    }
    case 'kubernetes.io/ssh-auth':
      return (data['ssh-privatekey'] ?? '') === '' ? [required('data[ssh-privatekey]')] : []
    case 'kubernetes.io/tls':
      return missingKeyErrors(data, ['tls.crt', 'tls.key'])
    default:
      return []
  }
}

export const secrets = defineKind<Secret>({
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  singular: 'secret',
  namespaced: true,
  hasStatus: false,
  defaults: (draft) => {
    if (draft.type === undefined || draft.type === '') draft.type = 'Opaque'
    if (draft.stringData === undefined) return
    const encoded = Object.entries(draft.stringData).map(([key, value]) => [
      key,
      Buffer.from(value).toString('base64'),
    ])
    draft.data = { ...draft.data, ...Object.fromEntries(encoded) }
    delete draft.stringData
  },
  validate: (secret, old) => {
    const data = secret.data ?? {}
    const size = Object.values(data).reduce((sum, value) => sum + decodedBytes(value), 0)
    return [
      ...validateKeys(Object.keys(data), 'data'),
      ...(size > MAX_DATA_BYTES ? [tooLong('data', MAX_DATA_BYTES)] : []),
      ...validateType(secret),
      ...(old !== undefined && old.type !== secret.type
        ? [invalid('type', secret.type, 'field is immutable')]
        : []),
      ...(old === undefined ? [] : validateImmutable(secret, old, ['data'])),
    ]
  },
  columns: [
    nameColumn,
    textColumn(
      'Type',
      'Used to facilitate programmatic handling of secret data. More info: https://kubernetes.io/docs/concepts/configuration/secret/#secret-types',
    ),
    textColumn(
      'Data',
      "Data contains the secret data. Each key must consist of alphanumeric characters, '-', '_' or '.'. The serialized form of the secret data is a base64 encoded string, representing the arbitrary (possibly non-string) data value here. Described in https://tools.ietf.org/html/rfc4648#section-4",
    ),
    ageColumn,
  ],
  row: (secret, context) => [
    secret.metadata.name,
    secret.type ?? '',
    Object.keys(secret.data ?? {}).length,
    ageCell(secret, context),
  ],
  selectableFields: (secret) => ({ type: secret.type ?? '' }),
})
