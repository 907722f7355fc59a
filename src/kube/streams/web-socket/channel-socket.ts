/** Numbered channels over one WebSocket: the first byte of every message says which. */
import { Writable } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Clock } from '../../../kit/index.ts'
import { createGate } from '../gate.ts'
import { createIdleTimer } from '../idle-timer.ts'
import { createInbound, type Inbound } from '../inbound.ts'
import type { Lane } from '../lane.ts'

export interface ChannelSocket {
  /** Aborts when the connection is no more. */
  readonly closed: AbortSignal
  /** A channel the client may write to as well. What it sends on others is dropped. */
  openLane(channel: number): Lane
  openOutput(channel: number): Writable
  close(): void
}

export interface ChannelFormat {
  /** Text messages: a digit for the channel, then base64. */
  readonly base64: boolean
  /** Whether a message on channel 255 names one that the client has closed (v5). */
  readonly closable: boolean
}

const CLOSE_CHANNEL = 255
const ZERO = 0x30
const MAX_PAYLOAD = 32 * 1024

const encode = (channel: number, payload: Buffer, format: ChannelFormat): Buffer | string =>
  format.base64
    ? String.fromCharCode(ZERO + channel) + payload.toString('base64')
    : Buffer.concat([Buffer.of(channel), payload])

const decode = (message: Buffer, format: ChannelFormat): { channel: number; payload: Buffer } => {
  const payload = message.subarray(1)
  return format.base64
    ? { channel: message.readUInt8(0) - ZERO, payload: Buffer.from(payload.toString('latin1'), 'base64') }
    : { channel: message.readUInt8(0), payload }
}

export const createChannelSocket = (
  webSocket: WebSocket,
  format: ChannelFormat,
  clock: Clock,
): ChannelSocket => {
  const departure = new AbortController()
  const inbounds = new Map<number, Inbound>()
  const gate = createGate(webSocket)
  const idle = createIdleTimer(clock, () => webSocket.terminate())

  const send = (channel: number, chunk: Buffer, sent: () => void): void => {
    idle.touch()
    for (let at = 0; at === 0 || at < chunk.length; at += MAX_PAYLOAD) {
      const last = at + MAX_PAYLOAD >= chunk.length
      webSocket.send(encode(channel, chunk.subarray(at, at + MAX_PAYLOAD), format), () => {
        if (last) sent()
      })
    }
  }

  webSocket.on('message', (data) => {
    idle.touch()
    const message = data as Buffer
    if (message.length === 0) return
    const { channel, payload } = decode(message, format)
    if (format.closable && channel === CLOSE_CHANNEL) inbounds.get(payload[0] ?? CLOSE_CHANNEL)?.end()
    else inbounds.get(channel)?.feed(payload)
  })
  webSocket.on('close', () => {
    idle.stop()
    for (const inbound of inbounds.values()) inbound.end()
    departure.abort()
  })

  const openOutput = (channel: number): Writable => {
    const output = new Writable({
      write(chunk: Buffer, _encoding, done) {
        if (departure.signal.aborted) done()
        else send(channel, chunk, done)
      },
    })
    output.on('error', () => {})
    return output
  }

  return {
    closed: departure.signal,
    openOutput,
    openLane(channel) {
      const inbound = createInbound((full) => gate.set(channel, full))
      inbounds.set(channel, inbound)
      return { input: inbound.readable, output: openOutput(channel), gone: departure.signal }
    },
    close() {
      webSocket.resume()
      webSocket.close(1000)
    },
  }
}
