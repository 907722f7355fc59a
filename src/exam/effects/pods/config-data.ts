/** The content of ConfigMaps and Secrets as pods read it. */
import { type ObjectsView, viewAs } from '#spec'
import { toSecretFingerprint } from '../fingerprint.ts'

export type ConfigKind = 'ConfigMap' | 'Secret'

/**
 * A value that a pod reads: a string, the fingerprint of a value of a Secret, binary data, a field of the pod, or the reason why it
 * cannot be read.
 */
export type ReadValue =
  | { readonly value: string }
  | { readonly secret: string }
  | { readonly binary: string }
  | { readonly source: unknown }
  | { readonly missing: string }

type Values = Readonly<Record<string, ReadValue>>

const mapValues = (
  values: Readonly<Record<string, string>> | undefined,
  toValue: (text: string) => ReadValue,
): Values => Object.fromEntries(Object.entries(values ?? {}).map(([key, text]) => [key, toValue(text)]))

const toBase64 = (text: string): string => Buffer.from(text).toString('base64')

/** All values of the object by key; undefined if it does not exist. */
export const configDataOf = (
  objects: ObjectsView,
  kind: ConfigKind,
  name: string | undefined,
): Values | undefined => {
  const object = name === undefined ? undefined : objects.get(kind, name)
  if (object === undefined) return undefined
  if (kind === 'ConfigMap') {
    const { data, binaryData } = viewAs('ConfigMap', object)
    return {
      ...mapValues(data, (value) => ({ value })),
      ...mapValues(binaryData, (binary) => ({ binary })),
    }
  }
  const { data, stringData } = viewAs('Secret', object)
  return {
    ...mapValues(data, (value) => ({ secret: toSecretFingerprint(value) })),
    // Manifests can contain plain text, which the API server encodes.
    ...mapValues(stringData, (text) => ({ secret: toSecretFingerprint(toBase64(text)) })),
  }
}
