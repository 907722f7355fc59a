/** Registers a node, then tells the API again and again that it lives: a lease, and the node's status. */
import type { Node } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual, type Timer } from '../../kit/index.ts'
import { leases, nodes } from '../kinds/index.ts'
import { type KubeObject, type Stored, toMicroTime } from '../meta/index.ts'
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
  /** Reports a pressure, or its end, at once. */
  setPressure(type: Pressure, pressed: boolean): void
  /** Beats now: after a silence, or when something has changed. */
  beat(): void
  stop(): void
}

/** The kubelet's events name its node by name alone, in place of the uid. */
const nodeReference = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, uid: name, resourceVersion: '', creationTimestamp: '' },
})

export const createHeartbeat = (context: KubeletContext, facts: NodeFacts): Heartbeat => {
  const { client, clock, events, runtime } = context
  const reference = nodeReference(facts.name)
  const pressures = new Set<Pressure>()
  let reportedAt = 0
  let timer: Timer | undefined

  const say = (reason: string, message = `Node ${facts.name} status is now: ${reason}`): void =>
    events.record(reference, 'Normal', reason, message)

  const report = (node: Stored<Node>): void => {
    const now = clock.now()
    const own = nodeStatus(facts, runtime, node.status, pressures, now)
    const foreign = (node.status.conditions ?? []).filter(
      ({ type }) => !own.conditions?.some((condition) => condition.type === type),
    )
    const status = { ...node.status, ...own, conditions: [...(own.conditions ?? []), ...foreign] }
    client.updateStatus(nodes, { ...node, status })
    reportedAt = now
  }

  const needsReport = (node: Stored<Node>): boolean =>
    clock.now() - reportedAt >= REPORT_MS ||
    node.status.conditions?.find(({ type }) => type === 'Ready')?.status !== 'True' ||
    !deepEqual(node.status.images ?? [], runtime.images())

  const renewLease = (node: Stored<Node>): void => {
    const renewTime = toMicroTime(clock.now())
    const lease = client.get(leases, LEASE_NAMESPACE, facts.name)
    if (lease !== undefined) {
      client.update(leases, { ...lease, spec: { ...lease.spec, renewTime } })
      return
    }
    const { name, uid } = node.metadata
    client.create(leases, {
      metadata: {
        name,
        namespace: LEASE_NAMESPACE,
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }],
      },
      spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime },
    })
  }

  const reportIfDue = (node: Stored<Node>): void => {
    const wasReady = node.status.conditions?.find(({ type }) => type === 'Ready')?.status === 'True'
    if (needsReport(node)) report(node)
    if (!wasReady) say('NodeReady')
  }

  /** A refused status does not keep the lease from being renewed; the next beat tries both again. */
  const beat = (): void => {
    const node = client.get(nodes, '', facts.name)
    if (node === undefined || !context.isAlive()) return
    attempt(context, `status of node ${facts.name}`, () => reportIfDue(node))
    attempt(context, `lease of node ${facts.name}`, () => renewLease(node))
  }

  const schedule = (): void => {
    timer = clock.after(RENEW_MS, () => {
      schedule()
      beat()
    })
  }

  say('Starting', 'Starting kubelet.')
  if (client.get(nodes, '', facts.name) === undefined) client.create(nodes, nodeDraft(facts))
  for (const type of pressureTypes) say(pressureEvent(type, false))
  say('NodeAllocatableEnforced', 'Updated Node Allocatable limit across pods')
  beat()
  schedule()

  return {
    beat,
    setPressure(type, pressed) {
      if (pressures.has(type) === pressed) return
      if (pressed) pressures.add(type)
      else pressures.delete(type)
      const node = client.get(nodes, '', facts.name)
      if (node === undefined || !context.isAlive()) return
      report(node)
      say(pressureEvent(type, pressed))
    },
    stop: () => timer?.cancel(),
  }
}
