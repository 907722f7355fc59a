/** Network faults: acts on the packets of a pod in its own network namespace. */
import { lazily, type Random } from '../../../kit/index.ts'
import { createNetworkNamespace, runChecked, runProgram } from '../../../linux/index.ts'
import type { NetworkFault } from '../../ports/index.ts'
import type { ApplyFault } from '../apply-fault.ts'
import { addHooks, removeHooks } from './firewall.ts'
import { createHitPods, type HitPod } from './hit-pods.ts'
import { createPacketThread, type PacketThread } from './packet-thread.ts'
import { type NetworkFaultPlan, planNetworkFault } from './plan-network-fault.ts'
import { shapeDevice } from './queue-disciplines.ts'

export interface NetworkFaults {
  apply: ApplyFault<NetworkFault>
  /** Lets go of the pod's namespace, which is about to be taken away: nothing need be undone in it. */
  forget(uid: string): void
  /** Ends the thread that handles packets. */
  close(): Promise<void>
}

/** One fault in the pod it is for. */
interface ActingFault {
  readonly id: string
  readonly pod: HitPod
  readonly plan: NetworkFaultPlan
  /** Whether its rules are there. */
  ruled: boolean
}

type Environment = Readonly<Record<string, string>>

/** Tries it, where nothing can be harmed. */
const kernelHasNetem = async (environment: Environment): Promise<boolean> => {
  const scratch = createNetworkNamespace()
  try {
    const args = ['qdisc', 'add', 'dev', 'lo', 'root', 'netem', 'delay', '1ms']
    return (await runProgram('tc', args, { namespace: scratch, environment })).exitCode === 0
  } finally {
    scratch.close()
  }
}

const mtuOf = async ({ namespace }: HitPod, environment: Environment): Promise<number> => {
  const line = await runChecked('ip', ['-o', 'link', 'show', 'eth0'], { namespace, environment })
  return Number(/ mtu (\d+)/.exec(line)?.[1] ?? 1500)
}

export const createNetworkFaults = ({
  random,
  marker,
  onError,
}: {
  random: Random
  marker: Environment
  onError: (error: Error) => void
}): NetworkFaults => {
  const pods = createHitPods()
  const hasNetem = lazily(() => kernelHasNetem(marker))
  let thread: PacketThread | undefined
  let count = 0

  const startThread = (): PacketThread => {
    const started: PacketThread = createPacketThread(random.uuid(), (error) => {
      if (thread === started) thread = undefined
      onError(error)
    })
    return started
  }
  const endThread = async (): Promise<void> => {
    const ending = thread
    thread = undefined
    await ending?.end()
  }

  /** Tells the thread which faults act on the pod's packets now. */
  const tellPackets = async (pod: HitPod): Promise<void> => {
    if (thread === undefined && pod.queued.size === 0) return
    if (pod.queued.size > 0) pod.mtu ??= await mtuOf(pod, marker)
    thread ??= startThread()
    await thread.command({
      type: 'set',
      pod: pod.uid,
      namespacePath: pod.namespace.path,
      mtu: pod.mtu ?? 0,
      faults: [...pod.queued.values()],
    })
    if (!pods.hasQueue()) await endThread()
  }

  /** May be tried again when it has failed. */
  const undo = async (acting: ActingFault): Promise<void> => {
    const { id, pod, plan } = acting
    if (acting.ruled) await removeHooks(pod.namespace, plan.hooks, marker)
    acting.ruled = false
    if (pod.queued.delete(id)) await tellPackets(pod)
    if (!pod.shaped.delete(id)) return
    try {
      await shapeDevice(pod.namespace, [...pod.shaped.values()], marker)
    } catch (error) {
      pod.shaped.set(id, plan.shape!)
      throw error
    }
  }

  /** Whatever fails in a pod that is being taken away does not matter any more. */
  const recover = async (acting: ActingFault): Promise<void> => {
    const { id, pod } = acting
    try {
      if (!pod.gone) await undo(acting)
    } catch (error) {
      if (!pod.gone) throw error
    }
    pods.letGo(pod, id)
  }

  const act = async (acting: ActingFault): Promise<void> => {
    const { id, pod, plan } = acting
    const { hooks, packets, shape } = plan
    if (packets !== undefined) {
      pod.queued.set(id, packets)
      await tellPackets(pod)
    }
    if (shape !== undefined) {
      pod.shaped.set(id, shape)
      await shapeDevice(pod.namespace, [...pod.shaped.values()], marker)
    }
    // Last, and all or none: where something fails they are not there.
    if (hooks.length > 0) await addHooks(pod.namespace, hooks, marker)
    acting.ruled = hooks.length > 0
  }

  return {
    async apply(fault, view) {
      count += 1
      const id = count.toString(36)
      // At once: the path of its namespace may be another pod's when this one is gone.
      const pod = pods.hold(view, id)
      try {
        const acting = { id, pod, plan: planNetworkFault(id, fault, await hasNetem()), ruled: false }
        await pods.inTurn(pod, async () => {
          try {
            await act(acting)
          } catch (error) {
            await recover(acting).catch(onError)
            throw error
          }
        })
        return () => pods.inTurn(pod, () => recover(acting))
      } catch (error) {
        pods.letGo(pod, id)
        throw error
      }
    },
    forget(uid) {
      const pod = pods.forget(uid)
      if (pod === undefined || pod.queued.size === 0) return
      pod.queued.clear()
      tellPackets(pod).catch(onError)
    },
    close: endThread,
  }
}
