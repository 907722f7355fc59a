/** A socket for the spans of each pod: by the one they come through it is known whose they are. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../kit/index.ts'
import type { Span } from '../../spec/index.ts'
import type { PodState } from './pod-index.ts'
import { createSpanSocket, type SpanSocket } from './span-socket.ts'

export interface SpanSockets {
  /** Makes its socket where it has none yet. */
  notice(pod: PodState): void
  /** The pod has gone. */
  forget(pod: PodState): void
  /** Lines and spans that were none. */
  refused(): number
  close(): Promise<void>
}

export interface SpanSocketsOptions {
  /** In which each pod has a folder of its own, named by its uid. */
  folder: string
  clock: Clock
  onSpans(spans: readonly Span[]): void
  onError(error: Error): void
}

/** The folder that a pod sees; made where it is not there. */
export const makePodSocketFolder = (folder: string, podUid: string): string => {
  const own = join(folder, podUid)
  mkdirSync(own, { recursive: true })
  return own
}

export const createSpanSockets = ({ folder, clock, onSpans, onError }: SpanSocketsOptions): SpanSockets => {
  const known = new Map<string, { pod: PodState; socket: Promise<SpanSocket | undefined> }>()
  const ending = new Set<Promise<void>>()
  const open = new Set<SpanSocket>()
  let refusedBefore = 0

  const begin = async (uid: string): Promise<SpanSocket | undefined> => {
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
      refusedBefore += socket.refused()
    }
    known.delete(uid)
    rmSync(join(folder, uid), { recursive: true, force: true })
  }

  return {
    notice(pod) {
      const before = known.get(pod.uid)
      if (before !== undefined) before.pod = pod
      else known.set(pod.uid, { pod, socket: Promise.resolve().then(() => begin(pod.uid)) })
    },
    forget({ uid }) {
      const done = end(uid)
        .catch(onError)
        .finally(() => ending.delete(done))
      ending.add(done)
    },
    refused: () => [...open].reduce((sum, socket) => sum + socket.refused(), refusedBefore),
    async close() {
      await Promise.all(ending)
      await Promise.all([...known.keys()].map(end))
    },
  }
}
