/** The requests that a real server answered with the recorded errors. */
import type { Requester } from './create-requester.ts'

const deployment = (fields: object) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  ...fields,
})
const configMap = (fields: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'kube-root-ca.crt', ...fields },
})
const container = { name: 'c', image: 'x' }
export const recordedRequests: Record<string, Parameters<Requester>> = {
  '400-fieldselector': ['GET', '/api/v1/pods?fieldSelector=spec.foo%3D1'],
  '400-selector': ['GET', '/api/v1/pods?labelSelector=!%20%3D'],
  '400-strict': [
    'POST',
    '/apis/apps/v1/namespaces/default/deployments?fieldValidation=Strict',
    deployment({
      metadata: { name: 'x' },
      spec: {
        foo: 1,
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } },
      },
    }),
  ],
  '401': ['GET', '/api/v1/pods', undefined, { authorization: 'Bearer wrong' }],
  '403-anon': ['GET', '/api/v1/pods', undefined, { authorization: '' }],
  '404': ['GET', '/api/v1/namespaces/default/pods/nope'],
  '404-group': ['GET', '/apis/nope.example/v1'],
  '404-ns': [
    'POST',
    '/api/v1/namespaces/nons/configmaps',
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } },
  ],
  '409-conflict': [
    'PUT',
    '/api/v1/namespaces/default/configmaps/kube-root-ca.crt',
    configMap({ resourceVersion: '1' }),
  ],
  '409-exists': ['POST', '/api/v1/namespaces/default/configmaps', configMap()],
  '415': ['POST', '/api/v1/namespaces/default/configmaps', 'x', { 'content-type': 'text/plain' }],
  '422-immutable': [
    'PATCH',
    '/apis/apps/v1/namespaces/default/deployments/web',
    { spec: { selector: { matchLabels: { zz: 'y' } } } },
    { 'content-type': 'application/merge-patch+json' },
  ],
  '422-invalid': [
    'POST',
    '/apis/apps/v1/namespaces/default/deployments',
    deployment({
      metadata: { name: 'Bad_Name' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'c' } }, spec: { containers: [{ name: 'c' }] } },
      },
    }),
  ],
}
