/** Tests of the event recorder: counting, gathering, dropping. */
import { beforeEach, describe, expect, it } from 'vitest'
import { createRandom } from '../../kit/index.ts'
import { configMaps, events } from '../kinds/index.ts'
import { ApiError } from '../meta/index.ts'
import { createResources } from './resources.ts'
import { createTestResources, type TestResources } from './testing/create-test-resources.ts'

let clock: TestResources['clock']
let resources: TestResources['resources']
let client: TestResources['client']
let configMap: TestResources['configMap']

beforeEach(() => {
  ;({ clock, resources, client, configMap } = createTestResources())
})

describe('the event recorder', () => {
  const about = () => client.get(configMaps, 'default', 'a')!
  const told = () => client.list(events).map(({ reason, message, count }) => `${reason} ${count} ${message}`)

  it('counts what is repeated', () => {
    configMap()
    const recorder = resources.recorderFor('tester', 'node1')
    recorder.record(about(), 'Normal', 'R', 'm')
    clock.advance(5000)
    recorder.record(about(), 'Normal', 'R', 'm')
    recorder.record(about(), 'Normal', 'R', 'n')
    expect(told()).toEqual(['R 2 m', 'R 1 n'])
    expect(client.list(events)[0]).toMatchObject({
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:05Z',
      source: { component: 'tester', host: 'node1' },
      involvedObject: { kind: 'ConfigMap', name: 'a', namespace: 'default', uid: about().metadata.uid },
    })
  })

  it('knows what is repeated again and again, however much else happens', () => {
    const object = configMap()
    const recorder = resources.recorderFor('tester')
    for (let index = 0; index < 1000; index += 1) {
      const other = { ...object, metadata: { ...object.metadata, name: 'b', uid: String(index) } }
      recorder.record(other, 'Normal', 'R', 'm')
      if (index % 500 === 0) recorder.record(object, 'Normal', 'R', 'm')
    }
    recorder.record(object, 'Normal', 'R', 'm')
    expect(client.list(events).filter(({ involvedObject }) => involvedObject.name === 'a')).toMatchObject([
      { count: 3 },
    ])
  })

  it('gathers what is similar from the tenth on, and drops what is too much', () => {
    configMap()
    const recorder = resources.recorderFor('tester')
    for (let index = 0; index < 40; index += 1) recorder.record(about(), 'Warning', 'R', `m${index}`)
    const shown = told()
    expect(shown).toHaveLength(10)
    expect(shown.at(-1)).toBe('R 16 (combined from similar events): m24')
    clock.advance(300_000)
    recorder.record(about(), 'Warning', 'Other', 'again')
    expect(told().at(-1)).toBe('Other 1 again')
  })

  it('loses an event that is refused, and nothing else', () => {
    const stubborn = createResources({
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
    const made = stubborn.client.create(configMaps, {
      metadata: { name: 'a', namespace: 'default' },
    } as never)
    expect(() => stubborn.recorderFor('t').record(made, 'Normal', 'R', 'm')).not.toThrow()
  })
})
