/** Puts a system on a cluster: its namespace and its objects, in the order in which it lists them. */
import { type Clock, sleep } from '../../kit/index.ts'
import {
  type Client,
  type KubeObject,
  namespaces,
  pods,
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

export const applySystem = async (client: Client, system: System, clock: Clock): Promise<void> => {
  await makeNamespace(client, system.namespace, clock)
  let made = ''
  for (const manifest of system.manifests) {
    const { apiVersion, kind: kindName, metadata } = manifest as KubeObject
    if (made === 'StatefulSet' && kindName !== made) await untilScheduled(client, system, clock)
    made = kindName
    const kind = client.kindOf(apiVersion, kindName)
    if (kind === undefined) {
      throw new RemediumError(
        'defect',
        `The system ${system.name} has a ${kindName} of ${apiVersion}, which is not served.`,
      )
    }
    const place = kind.namespaced ? { namespace: metadata.namespace ?? system.namespace } : {}
    if (kind.id === namespaces.id) await makeNamespace(client, metadata.name, clock)
    // Whoever makes an object may change the draft, and the manifests are used again.
    else client.create(kind, structuredClone({ ...manifest, metadata: { ...metadata, ...place } }))
  }
}
