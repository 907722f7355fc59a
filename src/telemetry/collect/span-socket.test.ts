/** Tests of the socket for spans: many clients, and hostile ones. */
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import type { Span } from '../../spec/index.ts'
import { SAMPLE_SIGNALS } from '../testing/sample-signals.ts'
import { createSpanSocket, SOCKET_NAME, type SpanSocket } from './span-socket.ts'

const top = mkdtempSync(join(tmpdir(), 'spans-'))
afterAll(() => rmSync(top, { recursive: true }))
// Longer than an address of a socket may be.
const folder = join(top, 'x'.repeat(120))
mkdirSync(folder)
let socket: SpanSocket
let spans: Span[]
const open: Socket[] = []
beforeEach(async () => {
  spans = []
  socket = await createSpanSocket({ folder, onSpans: (batch) => spans.push(...batch) })
})
afterEach(async () => {
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
  const clients = await Promise.all(Array.from({ length: 100 }, client))
  const text = line({ spans: [first, second] })
  for (const one of clients) {
    one.write(text.slice(0, 50))
    one.write(text.slice(50))
    one.write(text)
  }
  await expect.poll(() => spans.length).toBe(400)
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
      { ...first, service: '' },
      { ...first, name: 'n'.repeat(10_000) },
      { ...first, status: 'unset' },
    ].map((span) => line({ spans: [span] })),
  ]
  for (const text of odd) one.write(text)
  one.write(line({ spans: [first] }))
  await expect.poll(() => spans).toEqual([first])
  // The empty line is none; the others are one each, and one of them four.
  expect(socket.refused()).toBe(8 + 7)
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
