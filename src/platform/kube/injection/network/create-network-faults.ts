/** Injects network faults in the network namespace of a pod. */
import { lazily, type Random } from '#kit'
import { createNetworkNamespace, runProgram } from '#machine/linux'
import type { NetworkFault } from '#platform/kube/ports'
import type { ApplyFault } from '../apply-fault.ts'
import { type AffectedPod, createAffectedPods } from './affected-pods.ts'
import { addHooks, removeHooks } from './firewall.ts'
import { createPacketControl } from './packet-control.ts'
import { type NetworkFaultPlan, planNetworkFault } from './plan-network-fault.ts'
import { shapeDevice } from './queue-disciplines.ts'

export interface NetworkFaults {
  apply: ApplyFault<NetworkFault>
  /** Releases the namespace of a pod that is being removed; its faults are not undone. */
  forget(uid: string): void
  /** Stops the thread that handles packets. */
  close(): Promise<void>
}

/** One fault and its pod. */
interface ActiveFault {
  readonly id: string
  readonly pod: AffectedPod
  readonly plan: NetworkFaultPlan
  /** Whether its rules are in the packet filter. */
  hasRules: boolean
}

type Environment = Readonly<Record<string, string>>

/** Returns whether the kernel supports netem. Tries it in a temporary namespace. */
const kernelHasNetem = async (environment: Environment): Promise<boolean> => {
  const scratch = createNetworkNamespace()
  try {
    const args = ['qdisc', 'add', 'dev', 'lo', 'root', 'netem', 'delay', '1ms']
    return (await runProgram('tc', args, { namespace: scratch, environment })).exitCode === 0
  } finally {
    scratch.close()
  }
}

export interface NetworkFaultsOptions {
  random: Random
  marker: Environment
  onError: (error: Error) => void
}

export const createNetworkFaults = ({ random, marker, onError }: NetworkFaultsOptions): NetworkFaults => {
  const pods = createAffectedPods()
  const hasNetem = lazily(() => kernelHasNetem(marker))
  const packets = createPacketControl({ random, marker, onError, pods })
  let lastId = 0

  /** Can be retried after a failure. */
  const undo = async (active: ActiveFault): Promise<void> => {
    const { id, pod, plan } = active
    if (active.hasRules) await removeHooks(pod.namespace, plan.hooks, marker)
    active.hasRules = false
    if (pod.queued.delete(id)) await packets.update(pod)
    if (!pod.shaped.delete(id)) return
    try {
      await shapeDevice(pod.namespace, [...pod.shaped.values()], marker)
    } catch (error) {
      pod.shaped.set(id, plan.shape!)
      throw error
    }
  }

  /** Ignores errors in a pod that is being removed. */
  const recover = async (active: ActiveFault): Promise<void> => {
    const { id, pod } = active
    try {
      if (!pod.isRemoved) await undo(active)
    } catch (error) {
      if (!pod.isRemoved) throw error
    }
    pods.release(pod, id)
  }

  const activate = async (active: ActiveFault): Promise<void> => {
    const { id, pod, plan } = active
    const { hooks, packets: packetFault, shape } = plan
    if (packetFault !== undefined) {
      pod.queued.set(id, packetFault)
      await packets.update(pod)
    }
    if (shape !== undefined) {
      pod.shaped.set(id, shape)
      await shapeDevice(pod.namespace, [...pod.shaped.values()], marker)
    }
    // The rules come last: they are applied atomically and need no clean-up on failure.
    if (hooks.length > 0) await addHooks(pod.namespace, hooks, marker)
    active.hasRules = hooks.length > 0
  }

  return {
    async apply(fault, view) {
      lastId += 1
      const id = lastId.toString(36)
      // Opens the namespace synchronously, because the path may later refer to another pod's namespace.
      const pod = pods.hold(view, id)
      try {
        const active = { id, pod, plan: planNetworkFault(id, fault, await hasNetem()), hasRules: false }
        await pods.enqueue(pod, async () => {
          try {
            await activate(active)
          } catch (error) {
            await recover(active).catch(onError)
            throw error
          }
        })
        return () => pods.enqueue(pod, () => recover(active))
      } catch (error) {
        pods.release(pod, id)
        throw error
      }
    },
    forget(uid) {
      const pod = pods.forget(uid)
      if (pod === undefined || pod.queued.size === 0) return
      pod.queued.clear()
      packets.update(pod).catch(onError)
    },
    close: packets.close,
  }
}
