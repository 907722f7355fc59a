/** Tests of detecting access to pods. */
import { expect, it } from 'vitest'
import type { AuditEvent } from '#platform/kube/simulated'
import { createTouchedPods } from './touched-pods.ts'

const ADMIN = { username: 'kubernetes-admin', groups: ['system:masters'] }

const event = (fields: Partial<AuditEvent>, subresource = 'exec'): AuditEvent => ({
  kind: 'Event',
  apiVersion: 'audit.k8s.io/v1',
  level: 'Request',
  auditID: '',
  stage: 'ResponseComplete',
  requestURI: '',
  verb: 'create',
  userAgent: 'remedium',
  responseStatus: { code: 101 },
  requestReceivedTimestamp: '',
  stageTimestamp: '',
  objectRef: { resource: 'pods', namespace: 'shop', name: 'cart', apiVersion: 'v1', subresource },
  user: ADMIN,
  ...fields,
})

it.each([
  ['does not count access by the engine', { user: { ...ADMIN, uid: 'own' } }, false],
  ['counts access by a user that has the same name as the engine', {}, true],
  [
    'counts access by an account that calls from this process',
    { user: { username: 'agent', uid: 'a', groups: [] } },
    true,
  ],
  [
    'counts access by the engine if it impersonates a user',
    { user: { ...ADMIN, uid: 'own' }, impersonatedUser: ADMIN },
    true,
  ],
])('%s', (_, fields, accessed) => {
  const touched = createTouchedPods('own')
  touched.record(event(fields, 'portforward'))
  expect([touched.wasAccessed(), touched.has('shop', 'cart')]).toEqual([accessed, false])
  touched.record(event(fields))
  expect([touched.wasAccessed(), touched.has('shop', 'cart')]).toEqual([accessed, true])
  touched.clear()
  expect([touched.wasAccessed(), touched.has('shop', 'cart')]).toEqual([false, false])
})
