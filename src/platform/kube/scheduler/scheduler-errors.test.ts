/** Tests of the scheduler when the API fails. */
import { describe, expect, it } from 'vitest'
import { persistentVolumeClaims, persistentVolumes, storageClasses } from '#platform/kube/kinds'
import { badRequest } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { createTestScheduler } from './testing/create-test-scheduler.ts'

describe('errors', () => {
  /** Returns a function that throws on the first `times` calls. */
  const failFirstCalls = <T extends unknown[], R>(times: number, error: Error, call: (...args: T) => R) => {
    let calls = 0
    return (...args: T): R => {
      calls += 1
      if (calls <= times) throw error
      return call(...args)
    }
  }

  it('during an attempt are reported, and the pod is retried', () => {
    const { clock, addNode, addPod, nodeOf, errors, eventsOf } = createTestScheduler((client) => ({
      bind: failFirstCalls(1, new TypeError('broken'), client.bind),
    }))
    addNode('node1')
    addPod('p')
    expect(errors).toEqual(['scheduler pod default/p: TypeError: broken'])
    expect(nodeOf('p')).toBeUndefined()
    clock.advance(1500)
    expect(nodeOf('p')).toBe('node1')
    expect(eventsOf('p')[0]).toBe('FailedScheduling broken')
  })

  it('when writing an unschedulable condition do not affect other pods', () => {
    const { clock, addNode, addPod, nodeOf, errors, reasonFor } = createTestScheduler((client) => ({
      updateStatus: failFirstCalls(2, badRequest('refused'), client.updateStatus) as Client['updateStatus'],
    }))
    addNode('node1')
    addPod('large', { cpu: '9', priority: 5 })
    addPod('small')
    expect(nodeOf('small')).toBe('node1')
    clock.advance(20_000)
    expect(reasonFor('large')).toContain('Insufficient cpu')
    expect(errors).toEqual(['scheduler pod default/large: ApiError: refused'])
  })

  it('while waiting for volumes are reported, and the pod is retried', () => {
    let isBroken = false
    const { client, clock, addNode, addPod, nodeOf, errors } = createTestScheduler((original) => ({
      bind(...args) {
        if (isBroken) throw new TypeError('broken')
        original.bind(...args)
      },
    }))
    addNode('node1')
    client.create(storageClasses, {
      metadata: { name: 'local' },
      provisioner: 'example.com/local',
      volumeBindingMode: 'WaitForFirstConsumer',
    })
    client.create(persistentVolumeClaims, {
      metadata: { name: 'data', namespace: 'default' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'local',
        resources: { requests: { storage: '1Gi' } },
      },
    })
    addPod('p', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] })
    const claim = client.get(persistentVolumeClaims, 'default', 'data')!
    const annotations = { ...claim.metadata.annotations, 'pv.kubernetes.io/bind-completed': 'yes' }
    isBroken = true
    client.update(persistentVolumeClaims, {
      ...claim,
      metadata: { ...claim.metadata, annotations },
      spec: { ...claim.spec, volumeName: 'pv1' },
    })
    clock.advance(0)
    expect(errors).toEqual(['scheduler pod default/p: TypeError: broken'])
    isBroken = false
    client.create(persistentVolumes, {
      metadata: { name: 'pv1' },
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } },
    })
    clock.advance(20_000)
    expect(nodeOf('p')).toBe('node1')
  })
})
