/** Secret. */
import type { Secret } from 'kubernetes-types/core/v1.d.ts'
import { type FieldError, invalid, required, type Stored, tooLong } from '../meta/index.ts'
import { DATA_LIMIT, encodedSize, validateFrozen, validateKeys } from './data-keys.ts'
import { defineKind } from './define-kind.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from './standard-columns.ts'

const ACCOUNT_ANNOTATION = 'kubernetes.io/service-account.name'

const missing = (data: Readonly<Record<string, string>>, keys: readonly string[]): FieldError[] =>
  keys.filter((key) => !Object.hasOwn(data, key)).map((key) => required(`data[${key}]`))

/** What Go's JSON decoder says about text that is not JSON, as far as it can be told from the first letter. */
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
  const absent = missing(data, [key])
  if (absent.length > 0) return absent
  const problem = jsonProblem(Buffer.from(data[key]!, 'base64').toString())
  return problem === undefined ? [] : [invalid(`data[${key}]`, '<secret contents redacted>', problem)]
}

/** What each well-known type of Secret must hold. */
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
      const absent = missing(data, ['username', 'password'])
      return absent.length === 2 ? absent : []
    }
    case 'kubernetes.io/ssh-auth':
      return (data['ssh-privatekey'] ?? '') === '' ? [required('data[ssh-privatekey]')] : []
    case 'kubernetes.io/tls':
      return missing(data, ['tls.crt', 'tls.key'])
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
    const size = Object.values(data).reduce((sum, value) => sum + encodedSize(value), 0)
    return [
      ...validateKeys(Object.keys(data), 'data'),
      ...(size > DATA_LIMIT ? [tooLong('data', DATA_LIMIT)] : []),
      ...validateType(secret),
      ...(old !== undefined && old.type !== secret.type
        ? [invalid('type', secret.type, 'field is immutable')]
        : []),
      ...(old === undefined ? [] : validateFrozen(secret, old, ['data'])),
    ]
  },
  columns: [
    nameColumn,
    textColumn('Type', 'What the secret is for.'),
    textColumn('Data', 'Number of entries.'),
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
