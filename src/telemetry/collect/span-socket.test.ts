/** Tests of the socket for spans: many clients, and hostile ones. */
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { createVirtualClock } from '../../kit/index.ts'
import type { Span } from '../../spec/index.ts'
import { SAMPLE_SIGNALS, T0 } from '../testing/sample-signals.ts'
import { createSpanSocket, SOCKET_NAME, type SpanSocket } from './span-socket.ts'

const top = mkdtempSync(join(tmpdir(), 'spans-'))
afterAll(() => rmSync(top, { recursive: true }))
// Longer than an address of a socket may be.
const folder = join(top, 'x'.repeat(120))
mkdirSync(folder)
let socket: SpanSocket
let spans: Span[]
/** After the spans of the first trace. */
const clock = createVirtualClock(T0 + 100)
const sender = { service: 'web', pod: 'web-0' }
const open: Socket[] = []
beforeEach(async () => {
  spans = []
  socket = await createSpanSocket({
    folder,
    clock,
    sender: () => sender,
    onSpans: (batch) => spans.push(...batch),
  })
})
const home = process.cwd()
afterEach(async () => {
  process.chdir(home)
  for (const client of open.splice(0)) client.destroy()
  await socket.close()
})

const client = (): Promise<Socket> =>
  new Promise((resolve, reject) => {
    process.chdir(folder)
    const one = connect(SOCKET_NAME, () => resolve(one))
    one.on('error', reject)
    open.push(one)
  })
const line = (value: unknown): string => `${JSON.stringify(value)}\n`
const [first, second] = SAMPLE_SIGNALS.spans as [Span, Span]

it('takes spans from many clients, in pieces, and anybody may write', async () => {
  expect(statSync(join(folder, SOCKET_NAME)).mode & 0o777).toBe(0o666)
  const clients = await Promise.all(Array.from({ length: 30 }, client))
  const text = line({ spans: [first, second] })
  for (const one of clients) {
    one.write(text.slice(0, 50))
    one.write(text.slice(50))
    one.write(text)
  }
  await expect.poll(() => spans.length).toBe(120)
  expect(spans[0]).toEqual(first)
  expect(spans[1]).toEqual(second)
  expect(socket.refused()).toBe(0)
})

it('refuses what is no span, and goes on', async () => {
  const one = await client()
  const odd = [
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
    ].map((span) => line({ spans: [span] })),
  ]
  for (const text of odd) one.write(text)
  one.write(line({ spans: [first] }))
  await expect.poll(() => spans).toEqual([first])
  // The empty line is none; the others are one each, and one of them four.
  expect(socket.refused()).toBe(8 + 8)
})

it('cuts what is too long in a span, and leaves out attributes that are none', async () => {
  const one = await client()
  const { parentId: _, ...root } = second
  const attributes = { text: 't'.repeat(10_000), list: [1], number: 4, yes: true, nothing: null }
  one.write(line({ spans: [{ ...root, parentId: 'x', peer: '', message: 'm'.repeat(10_000), attributes }] }))
  await expect.poll(() => spans).toHaveLength(1)
  const { parentId, peer, message, attributes: kept } = spans[0]!
  expect({ parentId, peer, length: message!.length }).toEqual({
    parentId: undefined,
    peer: undefined,
    length: 4096,
  })
  expect(kept).toEqual({ text: 't'.repeat(4096), number: 4, yes: true })
})

it('holds no line that never ends', async () => {
  const one = await client()
  one.write(Buffer.alloc(3 * 2 ** 20, 'a'))
  // Given up before its end, which may never come.
  await expect.poll(() => socket.refused()).toBe(1)
  one.write(`aaa\n${line({ spans: [first] })}`)
  await expect.poll(() => spans).toEqual([first])
  expect(socket.refused()).toBe(1)
})

it('knows better than the span whose it is', async () => {
  const one = await client()
  one.write(line({ spans: [{ ...first, service: 'bank', pod: 'bank-0' }] }))
  await expect.poll(() => spans).toEqual([first])
})

it('dates no span later than it came, by whatever clock', async () => {
  const one = await client()
  const hours = (count: number): number => clock.now() + count * 3_600_000
  one.write(line({ spans: [23, 1, -2].map((count) => ({ ...first, start: hours(count) })) }))
  await expect.poll(() => spans.map(({ start }) => start)).toEqual([clock.now(), clock.now(), hours(-2)])
})

it('keeps little of attributes that are huge together', async () => {
  const one = await client()
  const attributes = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`a${n}`, 'x'.repeat(4000)]))
  one.write(line({ spans: [{ ...first, attributes }] }))
  await expect.poll(() => spans).toHaveLength(1)
  expect(Object.keys(spans[0]!.attributes)).toEqual(['a0', 'a1', 'a2', 'a3'])
})

it('reads no more than so much in a second', async () => {
  const one = await client()
  const text = line({ spans: Array.from({ length: 1000 }, () => first) })
  for (let written = 0; written < 12 * 2 ** 20; written += text.length) one.write(text)
  const most = Math.ceil((5 * 2 ** 20) / text.length) * 1000
  await expect.poll(() => spans.length).toBeGreaterThan(most / 2)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(spans.length).toBeLessThan(most)
  clock.advance(1000)
  await expect.poll(() => spans.length).toBeGreaterThan(most)
})
