/** Carries one forwarded connection between a client's lane and a port of the pod. */
import type { Duplex } from 'node:stream'
import type { Clock, Timer } from '../../kit/index.ts'
import type { Lane } from './lane.ts'

/** Opens a connection to a port inside the pod. Rejects when nothing listens there. */
export type ConnectToPort = (port: number) => Promise<Duplex>

/** How long the client may go on sending when the pod has ended its side: as long as containerd waits. */
const AFTER_POD_MS = 1000
/** How long the pod may be silent when the client has ended its side, so that no connection stays forever. */
const AFTER_CLIENT_MS = 30_000

/** Resolves when the connection is over, rejects when it broke on the pod's side. Ends the lane's output. */
const carry = (lane: Lane, pod: Duplex, clock: Clock): Promise<void> =>
  new Promise((resolve, reject) => {
    let timer: Timer | undefined
    let clientEnded = false
    let over = false
    const wait = (milliseconds: number): void => {
      timer?.cancel()
      timer = clock.after(milliseconds, () => finish())
    }
    const finish = (error?: Error): void => {
      if (over) return
      over = true
      timer?.cancel()
      lane.gone.removeEventListener('abort', onGone)
      lane.input.unpipe(pod)
      lane.input.destroy()
      pod.destroy()
      lane.output.end(() => (error === undefined ? resolve() : reject(error)))
    }
    const onGone = (): void => finish()
    lane.gone.addEventListener('abort', onGone, { once: true })
    lane.input.on('end', () => {
      clientEnded = true
      if (!pod.readableEnded) wait(AFTER_CLIENT_MS)
    })
    pod.on('data', () => {
      if (clientEnded) wait(AFTER_CLIENT_MS)
    })
    pod.on('end', () => (clientEnded ? finish() : wait(AFTER_POD_MS)))
    pod.on('error', finish)
    pod.on('close', () => finish())
    lane.input.pipe(pod)
    pod.pipe(lane.output, { end: false })
    if (lane.gone.aborted) finish()
  })

/** Never rejects: a failure is given back, for the error lane. */
export const forwardPort = async (
  lane: Lane,
  port: number,
  connect: ConnectToPort,
  clock: Clock,
): Promise<Error | undefined> => {
  try {
    const pod = await connect(port)
    pod.on('error', () => {})
    await carry(lane, pod, clock)
    return undefined
  } catch (error) {
    lane.input.destroy()
    lane.output.end()
    return error instanceof Error ? error : new Error(String(error))
  }
}
