/** Tests of watches: start versions, selectors, bookmarks and timeouts. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestApi, type TestApi } from '../testing/create-test-api.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'

let api: TestApi
beforeEach(async () => {
  api = await createTestApi({ historyLimit: 10 })
})
afterEach(async () => {
  expect(api.unexpected).toEqual([])
  await api.close()
})

interface Watched {
  frames: any[]
  ended: boolean
  stop(): void
}

/** Resolves when the headers have arrived. */
const watch = async (query = '', headers: Record<string, string> = {}): Promise<Watched> => {
  const response = await api.open(`${MAPS}?watch=true&${query}`, { headers })
  const watched: Watched = { frames: [], ended: false, stop: () => response.destroy() }
  let rest = ''
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop()!
    watched.frames.push(...lines.map((line) => JSON.parse(line)))
  })
  response.on('end', () => {
    watched.ended = true
  })
  response.on('error', () => {})
  return watched
}

const create = (name: string, labels = {}) =>
  api.send(MAPS, { method: 'POST', body: { metadata: { name, labels } } })
const setLabels = (name: string, labels: object) =>
  api.send(`${MAPS}/${name}`, {
    method: 'PATCH',
    body: { metadata: { labels } },
    headers: { 'Content-Type': 'application/merge-patch+json' },
  })
const remove = (name: string) => api.send(`${MAPS}/${name}`, { method: 'DELETE' })

const summarize = (watched: Watched): string[] =>
  watched.frames.map(
    ({ type, object }) =>
      `${type} ${object.metadata?.name ?? object.kind} ${object.metadata?.resourceVersion}`,
  )
const expectFrames = (watched: Watched, frames: string[]) =>
  expect.poll(() => summarize(watched), { interval: 5 }).toEqual(frames)

describe('a watch', () => {
  it.each(['', 'resourceVersion=0'])('with "%s" starts with the existing objects', async (query) => {
    await create('b')
    await create('a')
    const watched = await watch(query)
    await create('c')
    await expectFrames(watched, ['ADDED a 2', 'ADDED b 1', 'ADDED c 3'])
  })

  it('from a version delivers the changes after it', async () => {
    await create('a')
    await create('b')
    await remove('a')
    const watched = await watch('resourceVersion=1')
    await setLabels('b', { x: 'y' })
    await expectFrames(watched, ['ADDED b 2', 'DELETED a 3', 'MODIFIED b 4'])
  })

  it('from an expired version ends with 410', async () => {
    for (let index = 0; index < 30; index += 1) await create(`x${index}`)
    const watched = await watch('resourceVersion=1')
    await expect.poll(() => watched.ended).toBe(true)
    expect(watched.frames).toEqual([
      {
        type: 'ERROR',
        object: {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: `too old resource version: 1 (${api.resources.store.oldest('configmaps')})`,
          reason: 'Expired',
          code: 410,
        },
      },
    ])
  })

  it('from a future version delivers only later changes', async () => {
    await create('a')
    const watched = await watch('resourceVersion=2')
    await create('b')
    await create('c')
    await expectFrames(watched, ['ADDED c 3'])
  })

  it('with a selector adds and deletes objects as their labels change', async () => {
    await create('a')
    const watched = await watch('resourceVersion=1&labelSelector=x')
    await setLabels('a', { x: '1' })
    await setLabels('a', { x: '2' })
    await setLabels('a', { x: null })
    await setLabels('a', { z: '1' })
    await expectFrames(watched, ['ADDED a 2', 'MODIFIED a 3', 'DELETED a 4'])
    expect(watched.frames[2].object.metadata.labels).toEqual({ x: '2' })
  })

  it('of one object delivers only the events of that object', async () => {
    const watched = await watch('fieldSelector=metadata.name%3Db')
    await create('a')
    await create('b')
    await expectFrames(watched, ['ADDED b 2'])
  })

  it('sends bookmarks on request', async () => {
    await create('a')
    const [bookmarked, silent] = [await watch('allowWatchBookmarks=true'), await watch()]
    api.clock.advance(60_000)
    await expectFrames(bookmarked, ['ADDED a 1', 'BOOKMARK ConfigMap 60000000'])
    expect(bookmarked.frames[1].object).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { resourceVersion: '60000000', creationTimestamp: null },
    })
    expect(summarize(silent)).toEqual(['ADDED a 1'])
  })

  it('marks the end of the initial events on request', async () => {
    await create('a')
    const watched = await watch(
      'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=1',
    )
    await create('b')
    await expectFrames(watched, ['ADDED a 1', 'BOOKMARK ConfigMap 1', 'ADDED b 2'])
    expect(watched.frames[1].object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' })
    const bare = await watch('sendInitialEvents=false&resourceVersionMatch=NotOlderThan')
    await create('c')
    await expectFrames(bare, ['ADDED c 3'])
  })

  it.each([
    [
      'sendInitialEvents=true',
      'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    ],
    [
      'resourceVersionMatch=NotOlderThan',
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    ],
  ])('rejects %s before it starts', async (query, message) => {
    expect((await api.send(`${MAPS}?watch=1&${query}`)).json).toMatchObject({
      code: 422,
      message: `ListOptions.meta.k8s.io "" is invalid: ${message}`,
    })
  })

  it('rejects a malformed version as an invalid object', async () => {
    expect((await api.send(`${MAPS}?watch=1&resourceVersion=abc`)).json).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message:
        'configmaps "" is invalid: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    })
  })

  it('ends after its timeout; by default, within an hour', async () => {
    const [short, long] = [await watch('timeoutSeconds=5'), await watch('timeoutSeconds=999999999')]
    api.clock.advance(5000)
    await expect.poll(() => short.ended).toBe(true)
    expect(long.ended).toBe(false)
    const withoutTimeout = await watch()
    api.clock.advance(3_600_000)
    await expect.poll(() => withoutTimeout.ended).toBe(true)
  })

  it('as a table sends its columns once', async () => {
    await create('a')
    const watched = await watch('', { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' })
    await create('b')
    await expect.poll(() => watched.frames.length).toBe(2)
    expect(
      watched.frames.map(({ object }) => [
        object.kind,
        object.columnDefinitions?.length,
        object.rows[0].cells[0],
      ]),
    ).toEqual([
      ['Table', 3, 'a'],
      ['Table', undefined, 'b'],
    ])
    watched.stop()
  })
})
