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

const USER = { username: 'agent', uid: 'a', groups: [] }
const write = (verb: string, resource: string, fields: Partial<AuditEvent> = {}): AuditEvent => {
  const [group = '', plural = group] = resource.includes('/') ? resource.split('/') : ['', resource]
  const objectRef = { apiGroup: group, resource: plural, namespace: 'shop', name: 'x', apiVersion: 'v1' }
  return { ...event({ verb, user: USER, responseStatus: { code: 201 }, ...fields }), objectRef }
}

it.each<[string, AuditEvent, boolean]>([
  ['a created pod', write('create', 'pods'), true],
  ['a patched pod', write('patch', 'pods'), true],
  ['an updated Deployment', write('update', 'apps/deployments'), true],
  ['a created Job', write('create', 'batch/jobs'), true],
  ['a patched CronJob', write('patch', 'batch/cronjobs'), true],
  ['a patched ConfigMap, which may be a script of a pod', write('patch', 'configmaps'), true],
  [
    'a write whose answer was an error of the server',
    write('create', 'pods', { responseStatus: { code: 500 } }),
    true,
  ],
  ['a rejected write', write('create', 'pods', { responseStatus: { code: 403 } }), false],
  ['a write of the engine', write('create', 'pods', { user: { ...ADMIN, uid: 'own' } }), false],
  ['a deleted pod, which its controller replaces', write('delete', 'pods'), false],
  ['a patched Service', write('patch', 'services'), false],
  ['another kind with the same plural', write('patch', 'example.com/deployments'), false],
])('counts writes that may have started programs: %s', (_, call, expected) => {
  const touched = createTouchedPods('own')
  touched.record(call)
  expect([touched.mayHaveRunPrograms(), touched.wasAccessed()]).toEqual([expected, false])
  touched.clear()
  expect(touched.mayHaveRunPrograms()).toBe(false)
})

it.each(['scale', 'eviction', 'status'])(
  'a write of the subresource %s starts no other program',
  (subresource) => {
    const touched = createTouchedPods('own')
    touched.record(event({ verb: 'patch', user: USER, responseStatus: { code: 200 } }, subresource))
    expect(touched.mayHaveRunPrograms()).toBe(false)
  },
)
