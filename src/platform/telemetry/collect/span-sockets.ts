/** Manages one span socket per pod, so that the socket identifies the sender of a span. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '#kit'
import type { Span } from '#spec'
import type { PodState } from './pod-index.ts'
import { createSpanSocket, type SpanSocket } from './span-socket.ts'

export interface SpanSockets {
  /** Creates the socket of a new pod, or stores the new state of a known one. */
  update(pod: PodState): void
  /** Closes the socket of a deleted pod. */
  remove(pod: PodState): void
  /** Number of invalid lines and spans. */
  rejected(): number
  close(): Promise<void>
}

export interface SpanSocketsOptions {
  /** Contains one folder per pod, named by its uid. */
  folder: string
  clock: Clock
  onSpans(spans: readonly Span[]): void
  onError(error: Error): void
}

/** Returns the folder that is mounted into a pod; creates it if needed. */
export const makePodSocketFolder = (folder: string, podUid: string): string => {
  const podFolder = join(folder, podUid)
  mkdirSync(podFolder, { recursive: true })
  return podFolder
}

export const createSpanSockets = ({ folder, clock, onSpans, onError }: SpanSocketsOptions): SpanSockets => {
  const known = new Map<string, { pod: PodState; socket: Promise<SpanSocket | undefined> }>()
  const ending = new Set<Promise<void>>()
  const open = new Set<SpanSocket>()
  let rejectedBefore = 0

  const openSocket = async (uid: string): Promise<SpanSocket | undefined> => {
    try {
      const socket = await createSpanSocket({
        folder: makePodSocketFolder(folder, uid),
        clock,
        onSpans,
        sender() {
          const { service, name } = known.get(uid)!.pod
          return { service, pod: name }
        },
      })
      open.add(socket)
      return socket
    } catch (error) {
      onError(new Error(`the pod ${known.get(uid)?.pod.name ?? uid} cannot send spans`, { cause: error }))
      return undefined
    }
  }

  const end = async (uid: string): Promise<void> => {
    const socket = await known.get(uid)?.socket
    if (socket !== undefined) {
      await socket.close()
      open.delete(socket)
      rejectedBefore += socket.rejected()
    }
    known.delete(uid)
    rmSync(join(folder, uid), { recursive: true, force: true })
  }

  return {
    update(pod) {
      const before = known.get(pod.uid)
      if (before !== undefined) before.pod = pod
      else known.set(pod.uid, { pod, socket: Promise.resolve().then(() => openSocket(pod.uid)) })
    },
    remove({ uid }) {
      const done = end(uid)
        .catch(onError)
        .finally(() => ending.delete(done))
      ending.add(done)
    },
    rejected: () => [...open].reduce((sum, socket) => sum + socket.rejected(), rejectedBefore),
    async close() {
      await Promise.all(ending)
      await Promise.all([...known.keys()].map(end))
    },
  }
}
