/** Tests of the span socket with many clients and with hostile ones. */
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { createVirtualClock } from '#kit'
import type { Span } from '#spec'
import { SAMPLE_SIGNALS, T0 } from '../testing/sample-signals.ts'
import { createSpanSocket, SOCKET_NAME, type SpanSocket } from './span-socket.ts'

const parentFolder = mkdtempSync(join(tmpdir(), 'spans-'))
afterAll(() => rmSync(parentFolder, { recursive: true }))
// Longer than the path of a socket may be.
const folder = join(parentFolder, 'x'.repeat(120))
mkdirSync(folder)
let socket: SpanSocket
let spans: Span[]
/** A time after the spans of the first trace. */
const clock = createVirtualClock(T0 + 100)
const sender = { service: 'web', pod: 'web-0' }
const openClients: Socket[] = []
beforeEach(async () => {
  spans = []
  socket = await createSpanSocket({
    folder,
    clock,
    sender: () => sender,
    onSpans: (batch) => spans.push(...batch),
  })
})
const originalFolder = process.cwd()
afterEach(async () => {
  process.chdir(originalFolder)
  for (const client of openClients.splice(0)) client.destroy()
  await socket.close()
})

const connectClient = (): Promise<Socket> =>
  new Promise((resolve, reject) => {
    process.chdir(folder)
    const socket = connect(SOCKET_NAME, () => resolve(socket))
    socket.on('error', reject)
    openClients.push(socket)
  })
const toLine = (value: unknown): string => `${JSON.stringify(value)}\n`
const [first, second] = SAMPLE_SIGNALS.spans as [Span, Span]

it('accepts spans in chunks from many clients of any user', async () => {
  expect(statSync(join(folder, SOCKET_NAME)).mode & 0o777).toBe(0o666)
  const clients = await Promise.all(Array.from({ length: 30 }, connectClient))
  const text = toLine({ spans: [first, second] })
  for (const sender of clients) {
    sender.write(text.slice(0, 50))
    sender.write(text.slice(50))
    sender.write(text)
  }
  await expect.poll(() => spans.length).toBe(120)
  expect(spans[0]).toEqual(first)
  expect(spans[1]).toEqual(second)
  expect(socket.rejected()).toBe(0)
})

it('rejects invalid spans and continues', async () => {
  const sender = await connectClient()
  const invalidLines = [
    ...['', 'null', '[]', '{"spans":7}', 'no JSON', '{"spans":[null,1,"x",{}]}'].map((text) => `${text}\n`),
    ...[
      { ...first, traceId: 'short' },
      { ...first, kind: 'other' },
      { ...first, start: -1 },
      { ...first, durationMs: '5' },
      { ...first, durationMs: 1e9 },
      { ...first, start: T0 + 1e9 },
      { ...first, name: 'n'.repeat(10_000) },
      { ...first, status: 'unset' },
    ].map((span) => toLine({ spans: [span] })),
  ]
  for (const text of invalidLines) sender.write(text)
  sender.write(toLine({ spans: [first] }))
  await expect.poll(() => spans).toEqual([first])
  // The empty line is ignored. Every other line counts once, except the line with four invalid spans.
  expect(socket.rejected()).toBe(8 + 8)
})

it('truncates long fields and drops invalid attributes', async () => {
  const sender = await connectClient()
  const { parentId: _, ...root } = second
  const attributes = { text: 't'.repeat(10_000), list: [1], number: 4, yes: true, nothing: null }
  sender.write(
    toLine({ spans: [{ ...root, parentId: 'x', peer: '', message: 'm'.repeat(10_000), attributes }] }),
  )
  await expect.poll(() => spans).toHaveLength(1)
  const { parentId, peer, message, attributes: keptAttributes } = spans[0]!
  expect({ parentId, peer, length: message!.length }).toEqual({
    parentId: undefined,
    peer: undefined,
    length: 4096,
  })
  expect(keptAttributes).toEqual({ text: 't'.repeat(4096), number: 4, yes: true })
})

it('rejects an endless line', async () => {
  const sender = await connectClient()
  sender.write(Buffer.alloc(3 * 2 ** 20, 'a'))
  // The line is rejected before it ends.
  await expect.poll(() => socket.rejected()).toBe(1)
  sender.write(`aaa\n${toLine({ spans: [first] })}`)
  await expect.poll(() => spans).toEqual([first])
  expect(socket.rejected()).toBe(1)
})

it('overrides the service and pod of a span', async () => {
  const sender = await connectClient()
  sender.write(toLine({ spans: [{ ...first, service: 'bank', pod: 'bank-0' }] }))
  await expect.poll(() => spans).toEqual([first])
})

it('sets the start of a span that lies in the future to its time of arrival', async () => {
  const sender = await connectClient()
  const hoursFromNow = (count: number): number => clock.now() + count * 3_600_000
  sender.write(toLine({ spans: [23, 1, -2].map((count) => ({ ...first, start: hoursFromNow(count) })) }))
  const arrival = clock.now()
  await expect.poll(() => spans.map(({ start }) => start)).toEqual([arrival, arrival, hoursFromNow(-2)])
})

it('limits the total size of attributes', async () => {
  const sender = await connectClient()
  const attributes = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`a${n}`, 'x'.repeat(4000)]))
  sender.write(toLine({ spans: [{ ...first, attributes }] }))
  await expect.poll(() => spans).toHaveLength(1)
  expect(Object.keys(spans[0]!.attributes)).toEqual(['a0', 'a1', 'a2', 'a3'])
})

it('limits the bytes per second', async () => {
  const sender = await connectClient()
  const text = toLine({ spans: Array.from({ length: 1000 }, () => first) })
  for (let written = 0; written < 12 * 2 ** 20; written += text.length) sender.write(text)
  const maxSpans = Math.ceil((5 * 2 ** 20) / text.length) * 1000
  await expect.poll(() => spans.length).toBeGreaterThan(maxSpans / 2)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(spans.length).toBeLessThan(maxSpans)
  clock.advance(1000)
  await expect.poll(() => spans.length).toBeGreaterThan(maxSpans)
})
