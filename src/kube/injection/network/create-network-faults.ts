/** Network faults: acts on the packets of a pod in its own network namespace. */
import { lazily, type Random } from '../../../kit/index.ts'
import { createNetworkNamespace, runChecked, runProgram } from '../../../linux/index.ts'
import type { NetworkFault } from '../../ports/index.ts'
import type { ApplyFault } from '../apply-fault.ts'
import { changeRules, toAddition, toRemoval } from './firewall.ts'
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

  const undo = async (
    pod: HitPod,
    id: string,
    { hooks }: NetworkFaultPlan,
    ruled: boolean,
  ): Promise<void> => {
    if (pod.gone) return
    if (ruled && hooks.length > 0) await changeRules(pod.namespace, toRemoval(id, hooks), marker)
    if (pod.queued.delete(id)) await tellPackets(pod)
    if (pod.shaped.delete(id)) await shapeDevice(pod.namespace, [...pod.shaped.values()], marker)
  }

  /** Whatever fails in a pod that is being taken away does not matter any more. */
  const undoQuietly = async (
    pod: HitPod,
    id: string,
    plan: NetworkFaultPlan,
    ruled: boolean,
  ): Promise<void> => {
    try {
      await undo(pod, id, plan, ruled)
    } catch (error) {
      if (!pod.gone) throw error
    } finally {
      pods.letGo(pod, id)
    }
  }

  const act = async (pod: HitPod, id: string, { hooks, packets, shape }: NetworkFaultPlan): Promise<void> => {
    if (packets !== undefined) {
      pod.queued.set(id, packets)
      await tellPackets(pod)
    }
    if (shape !== undefined) {
      pod.shaped.set(id, shape)
      await shapeDevice(pod.namespace, [...pod.shaped.values()], marker)
    }
    if (hooks.length > 0) await changeRules(pod.namespace, toAddition(id, hooks), marker)
  }

  return {
    async apply(fault, view) {
      count += 1
      const id = count.toString(36)
      const plan = planNetworkFault(id, fault, await hasNetem())
      const pod = pods.hold(view, id)
      await pods.inTurn(pod, async () => {
        try {
          await act(pod, id, plan)
        } catch (error) {
          // The rules come last and all or none: they are not there.
          await undoQuietly(pod, id, plan, false)
          throw error
        }
      })
      return () => pods.inTurn(pod, () => undoQuietly(pod, id, plan, true))
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
