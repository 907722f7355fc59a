/** Registers a node, then renews its lease and its status periodically. */
import type { Node } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual, type Timer } from '#kit'
import { isNodeReady, leases, nodes } from '#platform/kube/kinds'
import { type KubeObject, type Stored, toMicroTime } from '#platform/kube/meta'
import { attempt } from './attempt.ts'
import type { KubeletContext } from './kubelet-context.ts'
import {
  type NodeFacts,
  nodeDraft,
  nodeStatus,
  type Pressure,
  pressureEvent,
  pressureTypes,
} from './node-status.ts'

const RENEW_MS = 10_000
const REPORT_MS = 300_000
const LEASE_NAMESPACE = 'kube-node-lease'

export interface Heartbeat {
  /** Reports the start or the end of a pressure condition at once. */
  setPressure(type: Pressure, active: boolean): void
  /** Renews the lease and, if due, the status now. */
  beat(): void
  stop(): void
}

/** The kubelet's events use the name of the node as its uid. */
const nodeReference = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, uid: name, resourceVersion: '', creationTimestamp: '' },
})

const renewLease = ({ client, clock }: KubeletContext, { metadata: { name, uid } }: Stored<Node>): void => {
  const renewTime = toMicroTime(clock.now())
  const lease = client.get(leases, LEASE_NAMESPACE, name)
  if (lease !== undefined) {
    client.update(leases, { ...lease, spec: { ...lease.spec, renewTime } })
    return
  }
  client.create(leases, {
    metadata: {
      name,
      namespace: LEASE_NAMESPACE,
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }],
    },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime },
  })
}

/** Writes the node's status, and keeps the conditions that other components set. */
const writeStatus = (
  { client, clock, runtime }: KubeletContext,
  facts: NodeFacts,
  node: Stored<Node>,
  pressures: ReadonlySet<Pressure>,
): void => {
  const reported = nodeStatus(facts, { runtime, previous: node.status, pressures, now: clock.now() })
  const otherConditions = (node.status.conditions ?? []).filter(
    ({ type }) => !reported.conditions?.some((condition) => condition.type === type),
  )
  const conditions = [...(reported.conditions ?? []), ...otherConditions]
  const status = { ...node.status, ...reported, conditions }
  client.updateStatus(nodes, { ...node, status })
}

export const createHeartbeat = (context: KubeletContext, facts: NodeFacts): Heartbeat => {
  const { client, clock, events, runtime } = context
  const reference = nodeReference(facts.name)
  const pressures = new Set<Pressure>()
  let reportedAt = 0
  let timer: Timer | undefined

  const recordEvent = (reason: string, message = `Node ${facts.name} status is now: ${reason}`): void =>
    events.record(reference, 'Normal', reason, message)

  const report = (node: Stored<Node>): void => {
    writeStatus(context, facts, node, pressures)
    reportedAt = clock.now()
  }

  const reportIfDue = (node: Stored<Node>): void => {
    const wasReady = isNodeReady(node)
    const isDue =
      clock.now() - reportedAt >= REPORT_MS ||
      !wasReady ||
      !deepEqual(node.status.images ?? [], runtime.images())
    if (isDue) report(node)
    if (!wasReady) recordEvent('NodeReady')
  }

  /** A rejected status does not prevent the renewal of the lease; the next beat retries both. */
  const beat = (): void => {
    const node = client.get(nodes, '', facts.name)
    if (node === undefined || !context.isAlive()) return
    attempt(context, `status of node ${facts.name}`, () => reportIfDue(node))
    attempt(context, `lease of node ${facts.name}`, () => renewLease(context, node))
  }

  const schedule = (): void => {
    timer = clock.after(RENEW_MS, () => {
      schedule()
      beat()
    })
  }

  recordEvent('Starting', 'Starting kubelet.')
  if (client.get(nodes, '', facts.name) === undefined) client.create(nodes, nodeDraft(facts))
  for (const type of pressureTypes) recordEvent(pressureEvent(type, false))
  recordEvent('NodeAllocatableEnforced', 'Updated Node Allocatable limit across pods')
  beat()
  schedule()

  return {
    beat,
    setPressure(type, active) {
      if (pressures.has(type) === active) return
      if (active) pressures.add(type)
      else pressures.delete(type)
      const node = client.get(nodes, '', facts.name)
      if (node === undefined || !context.isAlive()) return
      report(node)
      recordEvent(pressureEvent(type, active))
    },
    stop: () => timer?.cancel(),
  }
}
