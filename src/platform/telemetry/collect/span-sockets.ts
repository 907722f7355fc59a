/** Manages one span socket per pod, so that the socket identifies the sender of a span. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { PodState } from './pod-index.ts'
import { createSpanSocket, type SpanSocket } from './span-socket.ts'
import type { SpanReceiver, SpanSource } from './span-source.ts'

export interface SpanSocketsOptions extends SpanReceiver {
  /** Contains one folder per pod, named by its uid. */
  folder: string
}

/** Returns the folder that is mounted into a pod; creates it if needed. */
export const makePodSocketFolder = (folder: string, podUid: string): string => {
  const podFolder = join(folder, podUid)
  mkdirSync(podFolder, { recursive: true })
  return podFolder
}

export const createSpanSockets = ({ folder, clock, onSpans, onError }: SpanSocketsOptions): SpanSource => {
  const entries = new Map<string, { pod: PodState; socket: Promise<SpanSocket | undefined> }>()
  const closing = new Set<Promise<void>>()
  const openSockets = new Set<SpanSocket>()
  let rejectedByClosed = 0

  const openSocket = async (uid: string): Promise<SpanSocket | undefined> => {
    try {
      const socket = await createSpanSocket({
        folder: makePodSocketFolder(folder, uid),
        clock,
        onSpans,
        sender() {
          const { service, name } = entries.get(uid)!.pod
          return { service, pod: name }
        },
      })
      openSockets.add(socket)
      return socket
    } catch (error) {
      onError(new Error(`the pod ${entries.get(uid)?.pod.name ?? uid} cannot send spans`, { cause: error }))
      return undefined
    }
  }

  const closeSocket = async (uid: string): Promise<void> => {
    const socket = await entries.get(uid)?.socket
    if (socket !== undefined) {
      await socket.close()
      openSockets.delete(socket)
      rejectedByClosed += socket.rejected()
    }
    entries.delete(uid)
    rmSync(join(folder, uid), { recursive: true, force: true })
  }

  return {
    update(pod) {
      const before = entries.get(pod.uid)
      if (before !== undefined) before.pod = pod
      else entries.set(pod.uid, { pod, socket: Promise.resolve().then(() => openSocket(pod.uid)) })
    },
    remove({ uid }) {
      const done = closeSocket(uid)
        .catch(onError)
        .finally(() => closing.delete(done))
      closing.add(done)
    },
    rejected: () => [...openSockets].reduce((sum, socket) => sum + socket.rejected(), rejectedByClosed),
    async close() {
      await Promise.all(closing)
      await Promise.all([...entries.keys()].map(closeSocket))
    },
  }
}
