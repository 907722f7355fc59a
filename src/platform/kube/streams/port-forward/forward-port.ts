/** Relays one forwarded connection between a channel of the client and a port of the pod. */
import type { Duplex } from 'node:stream'
import type { Clock, Timer } from '#kit'
import type { Channel } from '../channel.ts'

/** Connects to a port inside the pod. Rejects if no process listens on it. */
export type ConnectToPort = (port: number) => Promise<Duplex>

/** How long the client may send after the pod has ended its side, as in containerd. */
const CLIENT_DRAIN_MS = 1000
/** How long the pod may be idle after the client has ended its side. */
const POD_IDLE_MS = 30_000

/** Resolves when the connection has ended; rejects if the pod's side fails. Ends the output of the channel. */
const relay = (channel: Channel, pod: Duplex, clock: Clock): Promise<void> =>
  new Promise((resolve, reject) => {
    let timer: Timer | undefined
    let clientEnded = false
    let finished = false
    const finishAfter = (milliseconds: number): void => {
      timer?.cancel()
      timer = clock.after(milliseconds, () => finish())
    }
    const finish = (error?: Error): void => {
      if (finished) return
      finished = true
      timer?.cancel()
      channel.closed.removeEventListener('abort', onClosed)
      channel.input.unpipe(pod)
      channel.input.destroy()
      pod.destroy()
      channel.output.end(() => (error === undefined ? resolve() : reject(error)))
    }
    const onClosed = (): void => finish()
    channel.closed.addEventListener('abort', onClosed, { once: true })
    channel.input.on('end', () => {
      clientEnded = true
      if (!pod.readableEnded) finishAfter(POD_IDLE_MS)
    })
    pod.on('data', () => {
      if (clientEnded) finishAfter(POD_IDLE_MS)
    })
    pod.on('end', () => (clientEnded ? finish() : finishAfter(CLIENT_DRAIN_MS)))
    pod.on('error', finish)
    pod.on('close', () => finish())
    channel.input.pipe(pod)
    pod.pipe(channel.output, { end: false })
    if (channel.closed.aborted) finish()
  })

/** Never rejects: resolves with the error if the forwarding fails. */
export const forwardPort = async (
  channel: Channel,
  port: number,
  connect: ConnectToPort,
  clock: Clock,
): Promise<Error | undefined> => {
  try {
    const pod = await connect(port)
    pod.on('error', () => {})
    await relay(channel, pod, clock)
    return undefined
  } catch (error) {
    channel.input.destroy()
    channel.output.end()
    return error instanceof Error ? error : new Error(String(error))
  }
}
