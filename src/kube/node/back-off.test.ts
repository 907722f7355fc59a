/** Pauses between attempts, and that they are forgotten with their pod. */
import { describe, expect, it, vi } from 'vitest'
import { createVirtualClock } from '../../kit/index.ts'
import { createBackOff } from './back-off.ts'
import { createRecord } from './container-record.ts'
import { createImagePuller } from './image-puller.ts'
import { createTestNode } from './testing/create-test-node.ts'

describe('createBackOff', () => {
  it('forgets the keys of one pod and no other', () => {
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
    let isWanted = true
    const ensure = (): string[] => {
      const reasons: string[] = []
      const record = createRecord({ name: 'c', image: 'missing' }, 'main')
      puller.ensure({ pod: pod('p'), record, isWanted: () => isWanted }, (failure) =>
        reasons.push(failure?.reason ?? 'there'),
      )
      clock.advance(200)
      return reasons
    }
    return { ensure, forget: () => puller.forget(pod('p').metadata.uid), letGo: () => (isWanted = false) }
  }

  it('forgets the failures of a pod that is gone', () => {
    const { ensure, forget } = setUp()
    expect(ensure()).toEqual(['ErrImagePull'])
    expect(ensure()).toEqual(['ImagePullBackOff'])
    forget()
    expect(ensure()).toEqual(['ErrImagePull'])
  })

  it('remembers nothing of a pod that nobody wants any more', () => {
    const { ensure, letGo } = setUp()
    letGo()
    ensure()
    expect(ensure()).toEqual(['there'])
  })
})
