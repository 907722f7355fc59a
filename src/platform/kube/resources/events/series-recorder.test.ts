/** Tests of the series recorder. */
import { describe, expect, it } from 'vitest'
import { createRandom, createVirtualClock, deepFreeze } from '#kit'
import { events, namespaces, pods } from '#platform/kube/kinds'
import { createResources } from '../resources.ts'

const MESSAGE = '0/1 nodes are available: 1 Insufficient cpu.'

const createTestRecorder = () => {
  const clock = createVirtualClock()
  const resources = createResources({ clock, random: createRandom(1), store: { seal: deepFreeze } })
  const { client } = resources
  client.create(namespaces, { metadata: { name: 'default' } })
  const pod = client.create(pods, {
    metadata: { name: 'web', namespace: 'default' },
    spec: { containers: [{ name: 'c', image: 'nginx:1' }] },
  })
  return { clock, client, pod, recorder: resources.seriesRecorderFor('default-scheduler') }
}

describe('createSeriesRecorder', () => {
  it('writes events as the real scheduler does', () => {
    const { client, pod, recorder } = createTestRecorder()
    recorder.record(pod, 'Warning', 'FailedScheduling', MESSAGE)
    const { metadata: _, ...event } = client.list(events)[0]!
    expect(event).toEqual({
      apiVersion: 'v1',
      kind: 'Event',
      involvedObject: {
        kind: 'Pod',
        namespace: 'default',
        name: 'web',
        uid: pod.metadata.uid,
        apiVersion: 'v1',
        resourceVersion: pod.metadata.resourceVersion,
      },
      reason: 'FailedScheduling',
      message: MESSAGE,
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      type: 'Warning',
      eventTime: '2026-01-01T00:00:00.000000Z',
      action: 'Scheduling',
      reportingComponent: 'default-scheduler',
      reportingInstance: 'default-scheduler-remedium',
    })
  })

  it('counts repeated events as a series, and starts a new one after a pause', () => {
    const { clock, client, pod, recorder } = createTestRecorder()
    recorder.record(pod, 'Warning', 'FailedScheduling', MESSAGE)
    clock.advance(3000)
    recorder.record(pod, 'Warning', 'FailedScheduling', MESSAGE)
    expect(client.list(events).map(({ series }) => series)).toEqual([
      { count: 2, lastObservedTime: '2026-01-01T00:00:03.000000Z' },
    ])
    clock.advance(600_000)
    recorder.record(pod, 'Warning', 'FailedScheduling', MESSAGE)
    expect(client.list(events)).toHaveLength(2)
  })
})
