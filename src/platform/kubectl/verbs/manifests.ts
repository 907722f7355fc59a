/** Reads the manifests of `-f -`. */
import { defined, isPlainObject, yamlLibrary } from '#kit'
import { type ApiObject, UnsupportedCommand } from '#spec'
import type { KubectlCall } from '../client/kubectl-call.ts'
import { KubectlError } from '../client/kubectl-error.ts'
import type { ResourceType } from '../client/resource-types.ts'

export interface Manifest {
  readonly type: ResourceType
  readonly object: ApiObject
  readonly namespace: string | undefined
}

const parseDocuments = (text: string): unknown[] => {
  const documents = yamlLibrary().parseAllDocuments(text, { logLevel: 'silent', prettyErrors: false })
  return [...documents].flatMap((document) => {
    if (document.errors.length > 0)
      throw new UnsupportedCommand('kubectl with a manifest that is not valid YAML')
    const value: unknown = document.toJS({ maxAliasCount: 200 })
    if (value === null || value === undefined) return []
    return isPlainObject(value) && value.kind === 'List' && Array.isArray(value.items) ? value.items : [value]
  })
}

const toManifest = (call: KubectlCall, value: unknown): Manifest => {
  if (!isPlainObject(value)) throw new UnsupportedCommand('kubectl with a manifest that is not a map')
  const { apiVersion, kind } = value
  for (const [name, member] of Object.entries({ apiVersion, kind }))
    if (typeof member !== 'string' || member === '')
      throw new KubectlError(
        `error: error validating "STDIN": error validating data: ${name} not set; if you choose to ignore these errors, turn validation off with --validate=false`,
      )
  const type = call.types.byKind(apiVersion as string, kind as string)
  if (type === undefined)
    throw new KubectlError(
      `error: resource mapping not found for name: "${String((value.metadata as { name?: unknown } | undefined)?.name ?? '')}" namespace: "${String((value.metadata as { namespace?: unknown } | undefined)?.namespace ?? '')}" from "STDIN": no matches for kind "${kind}" in version "${apiVersion}"\nensure CRDs are installed first`,
    )
  const metadata = isPlainObject(value.metadata) ? value.metadata : {}
  const own = metadata.namespace as string | undefined
  if (type.namespaced && own !== undefined && call.flags.has('namespace') && own !== call.namespace)
    throw new KubectlError(
      `error: the namespace from the provided object "${own}" does not match the namespace "${call.namespace}". You must pass '--namespace=${own}' to perform this operation.`,
    )
  const namespace = type.namespaced ? (own ?? call.namespace) : undefined
  const object = { ...value, metadata: { ...metadata, ...defined({ namespace }) } }
  return { type, object: object as unknown as ApiObject, namespace }
}

/** Only standard input can be read: there are no other files. */
export const readManifests = (call: KubectlCall, files: readonly string[]): Manifest[] => {
  const file = files.find((each) => each !== '-')
  if (file !== undefined) throw new UnsupportedCommand(`kubectl -f ${file}`)
  const documents = parseDocuments(call.program.stdin)
  if (documents.length === 0) throw new KubectlError('error: no objects passed to apply')
  return documents.map((document) => toManifest(call, document))
}
