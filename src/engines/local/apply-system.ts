/** Puts a system on a cluster: its namespace and its objects, in the order in which it lists them. */
import { type Clock, sleep } from '../../kit/index.ts'
import {
  ApiError,
  type Client,
  decodeObject,
  type Kind,
  type KubeObject,
  namespaces,
  pods,
  schemaOf,
  serviceAccounts,
  statefulSets,
} from '../../kube/index.ts'
import { RemediumError, type System } from '../../spec/index.ts'

const PAUSE_MS = 1
const PATIENCE_MS = 30_000

/** Pods cannot be made before the controller of accounts has seen the namespace. */
const makeNamespace = async (client: Client, name: string, clock: Clock): Promise<void> => {
  if (client.get(namespaces, '', name) === undefined) client.create(namespaces, { metadata: { name } })
  const deadline = clock.now() + PATIENCE_MS
  while (client.get(serviceAccounts, name, 'default') === undefined) {
    if (clock.now() > deadline)
      throw new RemediumError('not-ready', `The namespace ${name} has got no service account.`)
    await sleep(clock, PAUSE_MS)
  }
}

/** Long enough to bind claims; what takes longer waits for something else. */
const SCHEDULING_MS = 3000

/**
 * Pods with claims come to their nodes a little later than others. Nodes start what comes first, and data stores are
 * what everybody else waits for.
 */
const untilScheduled = async (client: Client, { namespace }: System, clock: Clock): Promise<void> => {
  const deadline = clock.now() + SCHEDULING_MS
  const isPending = (): boolean =>
    client.list(statefulSets, namespace).some(({ metadata, spec }) => {
      const own = client.ownedBy(pods, metadata.uid)
      return own.length < (spec.replicas ?? 1) || own.some((pod) => pod.spec.nodeName === undefined)
    })
  while (isPending() && clock.now() < deadline) await sleep(clock, PAUSE_MS)
}

/** The server's words begin with what is said here already. */
const PREAMBLE = /^.*? (?:is invalid|cannot be handled as a \w+): /s
const HINT = "Mend the system's topology or manifests; Kubernetes would refuse this object as well."

const refusal = (system: System, what: string, why: string, cause?: unknown): RemediumError =>
  new RemediumError('bad-file', `${what} of the system ${system.name}: ${why}`, { hint: HINT, cause })

/**
 * As the API decodes a body: unknown fields and values of the wrong form are refused. Shares nothing with the
 * manifest, which is used again.
 */
const decodeStrictly = (kind: Kind, manifest: object): KubeObject => {
  const schema = schemaOf(kind)
  if (schema === undefined) return structuredClone(manifest) as KubeObject
  const { object, unknown } = decodeObject(schema, manifest, kind)
  if (unknown.length > 0)
    throw new ApiError(400, 'BadRequest', unknown.map((path) => `${path} is no known field`).join(', '))
  return object
}

/** What the API refuses is a mistake in the system's files, not in Remedium. */
const make = (client: Client, system: System, kind: Kind, manifest: KubeObject): void => {
  const { metadata } = manifest
  const place = kind.namespaced ? { namespace: metadata.namespace ?? system.namespace } : {}
  try {
    client.create(kind, decodeStrictly(kind, { ...manifest, metadata: { ...metadata, ...place } }))
  } catch (error) {
    if (!(error instanceof ApiError) || error.code >= 500) throw error
    throw refusal(system, `${kind.kind} ${metadata.name}`, error.message.replace(PREAMBLE, ''), error)
  }
}

const wantsOwnPort = ({ spec }: KubeObject): boolean =>
  (spec?.ports ?? []).some(({ nodePort }: { nodePort?: number }) => nodePort !== undefined)

/** Of the Services those come first that ask for a certain port of nodes: another might be given it by chance. */
const inOrder = (manifests: readonly KubeObject[]): KubeObject[] => {
  const services = manifests.filter(({ kind }) => kind === 'Service')
  const sorted = [...services.filter(wantsOwnPort), ...services.filter((one) => !wantsOwnPort(one))].values()
  return manifests.map((manifest) => (manifest.kind === 'Service' ? sorted.next().value! : manifest))
}

export const applySystem = async (client: Client, system: System, clock: Clock): Promise<void> => {
  await makeNamespace(client, system.namespace, clock)
  let made = ''
  for (const manifest of inOrder(system.manifests as readonly KubeObject[])) {
    const { apiVersion, kind: kindName, metadata } = manifest
    if (made === 'StatefulSet' && kindName !== made) await untilScheduled(client, system, clock)
    made = kindName
    const kind = client.kindOf(apiVersion, kindName)
    if (kind === undefined)
      throw refusal(system, `${kindName} ${metadata.name}`, `${apiVersion} has no such kind here`)
    if (kind.id === namespaces.id) await makeNamespace(client, metadata.name, clock)
    else make(client, system, kind, manifest)
  }
}
