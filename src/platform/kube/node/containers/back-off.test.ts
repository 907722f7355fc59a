/** Tests the pauses between attempts, and that they are dropped with their pod. */
import { describe, expect, it, vi } from 'vitest'
import { createVirtualClock } from '#kit'
import { createTestNode } from '../testing/create-test-node.ts'
import { createBackOff } from './back-off.ts'
import { createRecord } from './container-record.ts'
import { createImagePuller } from './image-puller.ts'

describe('createBackOff', () => {
  it('drops only the keys of the given pod', () => {
    const backOff = createBackOff()
    for (const key of ['a/c', 'a/d', 'ab/c']) backOff.next(key, 0, 0)
    backOff.forget('a')
    expect(['a/c', 'a/d', 'ab/c'].map(backOff.pauseMs)).toEqual([0, 0, 10_000])
  })
})

describe('createImagePuller', () => {
  const setUp = () => {
    const clock = createVirtualClock()
    const { pod, run } = createTestNode()
    run('p', {})
    const pullImage = vi.fn((_image, reply) =>
      clock.after(100, () => reply({ ok: false, error: new Error('no such image') })),
    )
    const context = { clock, events: { record() {} }, runtime: { hasImage: () => false, pullImage } }
    const puller = createImagePuller(context as never, createBackOff())
    let isNeeded = true
    const ensure = (): string[] => {
      const reasons: string[] = []
      const record = createRecord({ name: 'c', image: 'missing' }, 'main')
      puller.ensure({ pod: pod('p'), record, isNeeded: () => isNeeded }, (failure) =>
        reasons.push(failure?.reason ?? 'present'),
      )
      clock.advance(200)
      return reasons
    }
    return { ensure, forget: () => puller.forget(pod('p').metadata.uid), release: () => (isNeeded = false) }
  }

  it('drops the failures of a deleted pod', () => {
    const { ensure, forget } = setUp()
    expect(ensure()).toEqual(['ErrImagePull'])
    expect(ensure()).toEqual(['ImagePullBackOff'])
    forget()
    expect(ensure()).toEqual(['ErrImagePull'])
  })

  it('records no failure for a pod that the kubelet has released', () => {
    const { ensure, release } = setUp()
    release()
    ensure()
    expect(ensure()).toEqual(['present'])
  })
})
