/** Tests that the fingerprint of programs does not depend on how an object was written. */
import { expect, it } from 'vitest'
import type { ApiObject } from '#spec'
import { programsOf } from './programs-of.ts'

const podWith = (secretKeyRef: object): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'store-0', namespace: 'shop' },
  spec: {
    containers: [{ name: 'main', image: 'store:1', env: [{ name: 'USER', valueFrom: { secretKeyRef } }] }],
  },
})
const [one, other] = [podWith({ name: 'login', key: 'user' }), podWith({ key: 'user', name: 'login' })]

it('is the same for another order of fields', () => {
  expect(programsOf(one)).toBe(programsOf(other))
  expect(programsOf(one)).not.toBe(programsOf(podWith({ name: 'login', key: 'password' })))
})

it('depends on the order of fields in older records', () => {
  expect(programsOf(one, 6)).not.toBe(programsOf(other, 6))
})
