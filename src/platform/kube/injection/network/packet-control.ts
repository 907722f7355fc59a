/** Sends the faults of each pod to the thread that handles packets. The thread runs only while it is needed. */
import type { Random } from '#kit'
import { runChecked } from '#machine/linux'
import type { AffectedPod, AffectedPods } from './affected-pods.ts'
import { createPacketThread, type PacketThread } from './packet-thread.ts'

type Environment = Readonly<Record<string, string>>

export interface PacketControlOptions {
  random: Random
  marker: Environment
  onError: (error: Error) => void
  pods: Pick<AffectedPods, 'hasQueue'>
}

export interface PacketControl {
  /** Sends the pod's current faults to the thread. */
  update(pod: AffectedPod): Promise<void>
  close(): Promise<void>
}

const mtuOf = async ({ namespace }: AffectedPod, environment: Environment): Promise<number> => {
  const line = await runChecked('ip', ['-o', 'link', 'show', 'eth0'], { namespace, environment })
  return Number(/ mtu (\d+)/.exec(line)?.[1] ?? 1500)
}

export const createPacketControl = ({
  random,
  marker,
  onError,
  pods,
}: PacketControlOptions): PacketControl => {
  let thread: PacketThread | undefined

  const startThread = (): PacketThread => {
    const started: PacketThread = createPacketThread(random.uuid(), (error) => {
      if (thread === started) thread = undefined
      onError(error)
    })
    return started
  }

  const close = async (): Promise<void> => {
    const ending = thread
    thread = undefined
    await ending?.end()
  }

  return {
    async update(pod) {
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
      if (!pods.hasQueue()) await close()
    },
    close,
  }
}
