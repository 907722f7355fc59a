/** Who counts as having reached into a cluster. */
import { expect, it } from 'vitest'
import type { AuditEvent } from '../../../kube/index.ts'
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
  ['the engine', { user: { ...ADMIN, uid: 'own' } }, false],
  ['one who only says that he is the engine', {}, true],
  ['an account that calls in this process', { user: { username: 'agent', uid: 'a', groups: [] } }, true],
  ['the engine as somebody else', { user: { ...ADMIN, uid: 'own' }, impersonatedUser: ADMIN }, true],
])('%s', (_, fields, reached) => {
  const touched = createTouchedPods('own')
  touched.note(event(fields, 'portforward'))
  expect([touched.isReached(), touched.has('shop', 'cart')]).toEqual([reached, false])
  touched.note(event(fields))
  expect([touched.isReached(), touched.has('shop', 'cart')]).toEqual([reached, true])
  touched.clear()
  expect([touched.isReached(), touched.has('shop', 'cart')]).toEqual([false, false])
})
