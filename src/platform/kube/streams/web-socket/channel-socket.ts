/** Numbered channels over one WebSocket: the first byte of a message is the channel. */
import { Writable } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Clock } from '#kit'
import type { Channel } from '../channel.ts'
import { createGate } from '../gate.ts'
import { createIdleTimer } from '../idle-timer.ts'
import { createInbound, type Inbound } from '../inbound.ts'

export interface ChannelSocket {
  /** Aborts when the connection is closed. */
  readonly closed: AbortSignal
  /** Opens a channel that the client may write to; messages on other channels are dropped. */
  openChannel(channel: number): Channel
  openOutput(channel: number): Writable
  close(): void
}

export interface ChannelFormat {
  /** Messages are text: a digit for the channel, then base64. */
  readonly base64: boolean
  /** Whether the client can close a channel with a message on channel 255 (v5). */
  readonly closable: boolean
}

const CLOSE_CHANNEL = 255
const ASCII_ZERO = 0x30
const MAX_PAYLOAD_BYTES = 32 * 1024

const encode = (channel: number, payload: Buffer, format: ChannelFormat): Buffer | string =>
  format.base64
    ? String.fromCharCode(ASCII_ZERO + channel) + payload.toString('base64')
    : Buffer.concat([Buffer.of(channel), payload])

const decode = (message: Buffer, format: ChannelFormat): { channel: number; payload: Buffer } => {
  const payload = message.subarray(1)
  return format.base64
    ? {
        channel: message.readUInt8(0) - ASCII_ZERO,
        payload: Buffer.from(payload.toString('latin1'), 'base64'),
      }
    : { channel: message.readUInt8(0), payload }
}

export const createChannelSocket = (
  webSocket: WebSocket,
  format: ChannelFormat,
  clock: Clock,
): ChannelSocket => {
  const closing = new AbortController()
  const inbounds = new Map<number, Inbound>()
  const gate = createGate(webSocket)
  const idle = createIdleTimer(clock, () => webSocket.terminate())

  const send = (channel: number, chunk: Buffer, sent: () => void): void => {
    idle.touch()
    for (let offset = 0; offset === 0 || offset < chunk.length; offset += MAX_PAYLOAD_BYTES) {
      const isLast = offset + MAX_PAYLOAD_BYTES >= chunk.length
      webSocket.send(encode(channel, chunk.subarray(offset, offset + MAX_PAYLOAD_BYTES), format), () => {
        if (isLast) sent()
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
    closing.abort()
  })

  const openOutput = (channel: number): Writable => {
    const output = new Writable({
      write(chunk: Buffer, _encoding, done) {
        if (closing.signal.aborted) done()
        else send(channel, chunk, done)
      },
    })
    output.on('error', () => {})
    return output
  }

  return {
    closed: closing.signal,
    openOutput,
    openChannel(channel) {
      const inbound = createInbound((full) => gate.set(channel, full))
      inbounds.set(channel, inbound)
      return { input: inbound.readable, output: openOutput(channel), closed: closing.signal }
    },
    close() {
      webSocket.resume()
      webSocket.close(1000)
    },
  }
}
