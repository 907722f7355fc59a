/** Tests that long lists are sent in chunks, with the same content as the pages of the list. */
import type { ServerResponse } from 'node:http'
import { Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createVirtualClock, yamlLibrary } from '#kit'
import { createTestApi, type TestApi } from '../testing/create-test-api.ts'
import { sendChunks } from './send-chunks.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const COUNT = 1003
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'
const METADATA = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'

let api: TestApi
beforeAll(async () => {
  api = await createTestApi()
  for (let index = 0; index < COUNT; index += 1) {
    const name = `m${1000 + index}`
    api.resources.store.put('configmaps', configMap(name), undefined)
  }
})
afterAll(async () => {
  expect(api.unexpected).toEqual([])
  await api.close()
})

const configMap = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name,
    namespace: 'default',
    uid: name,
    resourceVersion: '',
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  data: { text: 'line\nof "text"' },
})

const get = (path: string, accept: string) => api.send(path, { headers: { Accept: accept } })

describe('a list of more than 1000 items', () => {
  it.each([
    ['JSON', 'application/json', '', JSON.parse],
    ['pretty JSON', 'application/json', 'pretty=true', JSON.parse],
    ['YAML', 'application/yaml', '', (text: string) => yamlLibrary().parse(text)],
    ['a table', TABLE, '', JSON.parse],
    ['metadata', METADATA, '', JSON.parse],
  ])('as %s has no Content-Length and the same items as its pages', async (_, accept, query, parse) => {
    const whole = await get(`${MAPS}?${query}`, accept)
    expect(whole.headers['content-length']).toBeUndefined()
    const first = await get(`${MAPS}?limit=600&${query}`, accept)
    expect(first.headers['content-length']).toBeDefined()
    expect(first.headers['content-type']).toBe(whole.headers['content-type'])
    const [list, page] = [parse(whole.text), parse(first.text)]
    const rest = parse((await get(`${MAPS}?continue=${page.metadata.continue}&${query}`, accept)).text)
    const member = accept === TABLE ? 'rows' : 'items'
    expect(list[member]).toHaveLength(COUNT)
    expect(list).toEqual({
      ...page,
      metadata: { resourceVersion: page.metadata.resourceVersion },
      [member]: [...page[member], ...rest[member]],
    })
    if (query !== '') expect(whole.text).toBe(JSON.stringify(list, undefined, 2))
    if (accept === 'application/yaml')
      expect(whole.text.startsWith(first.text.split('metadata:')[0]!)).toBe(true)
  })
})

/** A client that reads when the test calls `read`. */
const createReader = (highWaterMark: number) => {
  const received: string[] = []
  const pendingWrites: (() => void)[] = []
  const stream = new Writable({
    highWaterMark,
    write(chunk, _, done) {
      received.push(String(chunk))
      pendingWrites.push(done)
    },
  })
  const response = Object.assign(stream, { setTimeout: () => stream })
  return { stream: response as unknown as ServerResponse, received, read: () => pendingWrites.shift()?.() }
}

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })

describe('sendChunks', () => {
  it('yields to other tasks between chunks', () => {
    const clock = createVirtualClock()
    const { stream } = createReader(1000)
    const order: string[] = []
    const items = (function* () {
      for (const chunk of ['first', 'second', 'third']) {
        order.push(chunk)
        yield chunk
      }
    })()
    sendChunks(stream, items, { realClock: clock, stalledMs: 1000, onUnexpected: expect.fail })
    clock.defer(() => order.push('other'))
    clock.advance(0)
    expect(order).toEqual(['first', 'second', 'other', 'third'])
  })

  it('encodes only as fast as the client reads, and closes a stalled connection', async () => {
    const clock = createVirtualClock()
    const { stream, read } = createReader(1)
    const produced: number[] = []
    const chunks = (function* () {
      for (let index = 0; index < 10; index += 1) {
        produced.push(index)
        yield 'xx'
      }
    })()
    sendChunks(stream, chunks, { realClock: clock, stalledMs: 1000, onUnexpected: expect.fail })
    clock.advance(900)
    expect(produced).toEqual([0])
    read()
    await nextTurn()
    clock.advance(900)
    expect(produced).toEqual([0, 1])
    expect(stream.destroyed).toBe(false)
    clock.advance(200)
    expect([produced, stream.destroyed]).toEqual([[0, 1], true])
  })

  it('aborts the response when encoding fails', () => {
    const clock = createVirtualClock()
    const { stream } = createReader(1000)
    const errors: unknown[] = []
    const encodingError = new Error('encoding failed')
    const chunks = (function* () {
      yield 'x'
      throw encodingError
    })()
    const onUnexpected = (error: unknown) => errors.push(error)
    sendChunks(stream, chunks, { realClock: clock, stalledMs: 1000, onUnexpected })
    clock.advance(0)
    expect([errors, stream.destroyed]).toEqual([[encodingError], true])
  })
})
