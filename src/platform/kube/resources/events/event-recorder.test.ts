/** Tests of the event recorder: counting, aggregation, rate limit. */
import { beforeEach, describe, expect, it } from 'vitest'
import { createRandom } from '#kit'
import { configMaps, events } from '#platform/kube/kinds'
import { ApiError } from '#platform/kube/meta'
import { createResources } from '../resources.ts'
import { createTestResources, type TestResources } from '../testing/create-test-resources.ts'

let clock: TestResources['clock']
let resources: TestResources['resources']
let client: TestResources['client']
let createConfigMap: TestResources['createConfigMap']

beforeEach(() => {
  ;({ clock, resources, client, createConfigMap } = createTestResources())
})

describe('the event recorder', () => {
  const subject = () => client.get(configMaps, 'default', 'a')!
  const summaries = () =>
    client.list(events).map(({ reason, message, count }) => `${reason} ${count} ${message}`)

  it('counts repeated events', () => {
    createConfigMap()
    const recorder = resources.recorderFor('tester', 'node1')
    recorder.record(subject(), 'Normal', 'R', 'm')
    clock.advance(5000)
    recorder.record(subject(), 'Normal', 'R', 'm')
    recorder.record(subject(), 'Normal', 'R', 'n')
    expect(summaries()).toEqual(['R 2 m', 'R 1 n'])
    expect(client.list(events)[0]).toMatchObject({
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:05Z',
      source: { component: 'tester', host: 'node1' },
      involvedObject: { kind: 'ConfigMap', name: 'a', namespace: 'default', uid: subject().metadata.uid },
    })
  })

  it('keeps counting a frequent event among many others', () => {
    const object = createConfigMap()
    const recorder = resources.recorderFor('tester')
    for (let index = 0; index < 1000; index += 1) {
      const otherObject = { ...object, metadata: { ...object.metadata, name: 'b', uid: String(index) } }
      recorder.record(otherObject, 'Normal', 'R', 'm')
      if (index % 500 === 0) recorder.record(object, 'Normal', 'R', 'm')
    }
    recorder.record(object, 'Normal', 'R', 'm')
    expect(client.list(events).filter(({ involvedObject }) => involvedObject.name === 'a')).toMatchObject([
      { count: 3 },
    ])
  })

  it('combines similar events, starting with the tenth, and drops excess events', () => {
    createConfigMap()
    const recorder = resources.recorderFor('tester')
    for (let index = 0; index < 40; index += 1) recorder.record(subject(), 'Warning', 'R', `m${index}`)
    const summary = summaries()
    expect(summary).toHaveLength(10)
    expect(summary.at(-1)).toBe('R 16 (combined from similar events): m24')
    clock.advance(300_000)
    recorder.record(subject(), 'Warning', 'Other', 'again')
    expect(summaries().at(-1)).toBe('Other 1 again')
  })

  it('ignores a rejected event', () => {
    const rejecting = createResources({
      clock,
      random: createRandom('x'),
      admission: [
        {
          name: 'no events',
          validate({ kind }) {
            if (kind.id === 'events') throw new ApiError(403, 'Forbidden', 'no')
          },
        },
      ],
    })
    const created = rejecting.client.create(configMaps, {
      metadata: { name: 'a', namespace: 'default' },
    } as never)
    expect(() => rejecting.recorderFor('t').record(created, 'Normal', 'R', 'm')).not.toThrow()
  })
})
