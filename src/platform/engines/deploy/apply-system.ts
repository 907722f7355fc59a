/** Creates the namespace and the objects of a system on a cluster; Services with a fixed node port precede others. */
import { type Clock, sleep } from '#kit'
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
} from '#platform/kube/simulated'
import { RemediumError, type System } from '#spec'

const POLL_MS = 1
const TIMEOUT_MS = 30_000

/** Waits for the default service account, without which pods cannot be created. */
const createNamespace = async (client: Client, name: string, clock: Clock): Promise<void> => {
  if (client.get(namespaces, '', name) === undefined) client.create(namespaces, { metadata: { name } })
  const deadline = clock.now() + TIMEOUT_MS
  while (client.get(serviceAccounts, name, 'default') === undefined) {
    if (clock.now() > deadline)
      throw new RemediumError('not-ready', `The namespace ${name} has no default service account.`)
    await sleep(clock, POLL_MS)
  }
}

/** Long enough to bind claims. */
const SCHEDULING_TIMEOUT_MS = 3000

/**
 * Waits until the pods of StatefulSets are scheduled, so that data stores start before their clients. Pods with claims are
 * scheduled a little later than others.
 */
const waitUntilScheduled = async (client: Client, { namespace }: System, clock: Clock): Promise<void> => {
  const deadline = clock.now() + SCHEDULING_TIMEOUT_MS
  const isPending = (): boolean =>
    client.list(statefulSets, namespace).some(({ metadata, spec }) => {
      const ownPods = client.ownedBy(pods, metadata.uid)
      return ownPods.length < (spec.replicas ?? 1) || ownPods.some((pod) => pod.spec.nodeName === undefined)
    })
  while (isPending() && clock.now() < deadline) await sleep(clock, POLL_MS)
}

/** The beginning of API errors, which repeats the name of the object. */
const PREAMBLE = /^.*? (?:is invalid|cannot be handled as a \w+): /s
const HINT = "Fix the system's topology or manifests; Kubernetes would reject this object as well."

const toFileError = (system: System, subject: string, detail: string, cause?: unknown): RemediumError =>
  new RemediumError('bad-file', `${subject} of the system ${system.name}: ${detail}`, { hint: HINT, cause })

/**
 * Decodes a manifest as the API server does: rejects unknown fields and invalid values. The result shares nothing with the
 * manifest, which is reused.
 */
const decodeStrictly = (kind: Kind, manifest: object): KubeObject => {
  const schema = schemaOf(kind)
  if (schema === undefined) return structuredClone(manifest) as KubeObject
  const { object, unknown } = decodeObject(schema, manifest, kind)
  if (unknown.length > 0)
    throw new ApiError(400, 'BadRequest', unknown.map((path) => `${path} is not a known field`).join(', '))
  return object
}

/** An object that the API rejects is a mistake in the system's files. */
const createObject = (client: Client, system: System, kind: Kind, manifest: KubeObject): void => {
  const { metadata } = manifest
  const location = kind.namespaced ? { namespace: metadata.namespace ?? system.namespace } : {}
  try {
    client.create(kind, decodeStrictly(kind, { ...manifest, metadata: { ...metadata, ...location } }))
  } catch (error) {
    if (!(error instanceof ApiError) || error.code >= 500) throw error
    throw toFileError(system, `${kind.kind} ${metadata.name}`, error.message.replace(PREAMBLE, ''), error)
  }
}

const hasNodePort = ({ spec }: KubeObject): boolean =>
  (spec?.ports ?? []).some(({ nodePort }: { nodePort?: number }) => nodePort !== undefined)

/** Puts Services with a fixed node port first, so that no other Service is assigned that port. */
const sortServices = (manifests: readonly KubeObject[]): KubeObject[] => {
  const services = manifests.filter(({ kind }) => kind === 'Service')
  const sorted = [
    ...services.filter(hasNodePort),
    ...services.filter((service) => !hasNodePort(service)),
  ].values()
  return manifests.map((manifest) => (manifest.kind === 'Service' ? sorted.next().value! : manifest))
}

export const applySystem = async (client: Client, system: System, clock: Clock): Promise<void> => {
  await createNamespace(client, system.namespace, clock)
  let lastKind = ''
  for (const manifest of sortServices(system.manifests as readonly KubeObject[])) {
    const { apiVersion, kind: kindName, metadata } = manifest
    if (lastKind === 'StatefulSet' && kindName !== lastKind) await waitUntilScheduled(client, system, clock)
    lastKind = kindName
    const kind = client.kindOf(apiVersion, kindName)
    if (kind === undefined)
      throw toFileError(system, `${kindName} ${metadata.name}`, `${apiVersion} has no kind ${kindName}`)
    if (kind.id === namespaces.id) await createNamespace(client, metadata.name, clock)
    else createObject(client, system, kind, manifest)
  }
}
