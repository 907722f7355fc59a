/** Tests the resolution of references in a container's environment. */
import type { Container, EnvVarSource } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { configMaps, secrets, services } from '#platform/kube/kinds'
import { createTestNode } from '../testing/create-test-node.ts'
import { containerEnvironment, expandCommand, expandVariables } from './container-environment.ts'
import { createServiceLinks } from './service-links.ts'

const location = { nodeName: 'node1', hostIP: '10.244.0.1', podIP: '10.244.0.9', allocatable: { cpu: '2' } }

const setUp = () => {
  const node = createTestNode()
  node.client.create(configMaps, {
    metadata: { name: 'settings', namespace: 'default' },
    data: { LEVEL: 'info', MODE: 'fast' },
  })
  node.client.create(secrets, {
    metadata: { name: 'login', namespace: 'default' },
    data: { password: Buffer.from('s3cret').toString('base64') },
  })
  node.run('p', {}, { labels: { app: 'web' } })
  const resolveEnvironment = (container: Partial<Container>, links = {}) =>
    containerEnvironment(
      { client: node.client, pod: node.pod('p'), container: { name: 'c', ...container }, location },
      links,
    )
  return { ...node, resolveEnvironment }
}

describe('containerEnvironment', () => {
  it('resolves every kind of source; later sources override earlier ones', () => {
    const { resolveEnvironment } = setUp()
    const variables = resolveEnvironment(
      {
        resources: { requests: { cpu: '1500m', memory: '64Mi' } },
        envFrom: [{ configMapRef: { name: 'settings' } }, { prefix: 'DB_', secretRef: { name: 'login' } }],
        env: [
          { name: 'MODE', value: 'slow' },
          { name: 'URL', value: 'http://$(HOST)/$(MODE)/$(NONE)/$$(MODE)' },
          { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
          { name: 'APP', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
          { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
          { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'login', key: 'password' } } },
          { name: 'NOTHING', valueFrom: { configMapKeyRef: { name: 'none', key: 'a', optional: true } } },
        ],
      },
      { HOST: 'api' },
    )
    expect(variables).toEqual({
      HOST: 'api',
      LEVEL: 'info',
      MODE: 'slow',
      DB_password: 's3cret',
      URL: 'http://api/slow/$(NONE)/$(MODE)',
      IP: '10.244.0.9',
      APP: 'web',
      CPU: '2',
      PASSWORD: 's3cret',
    })
  })

  it('reports missing objects and keys with the messages of the kubelet', () => {
    const { resolveEnvironment } = setUp()
    const withSecretKey = (name: string, key: string) => ({
      env: [{ name: 'A', valueFrom: { secretKeyRef: { name, key } } }],
    })
    expect(() => resolveEnvironment(withSecretKey('none', 'a'))).toThrow('secret "none" not found')
    expect(() => resolveEnvironment(withSecretKey('login', 'user'))).toThrow(
      "couldn't find key user in Secret default/login",
    )
    expect(() => resolveEnvironment({ envFrom: [{ configMapRef: { name: 'none' } }] })).toThrow(
      'configmap "none" not found',
    )
  })

  it('names the variables of Services as Docker links do', () => {
    const { client } = setUp()
    client.create(services, {
      metadata: { name: 'my-db', namespace: 'default' },
      spec: { clusterIP: '10.96.0.7', ports: [{ name: 'sql', port: 5432 }] },
    })
    const links = createServiceLinks(client)
    expect(links.variablesFor('default', true)).toEqual({
      MY_DB_SERVICE_HOST: '10.96.0.7',
      MY_DB_SERVICE_PORT: '5432',
      MY_DB_SERVICE_PORT_SQL: '5432',
      MY_DB_PORT: 'tcp://10.96.0.7:5432',
      MY_DB_PORT_5432_TCP: 'tcp://10.96.0.7:5432',
      MY_DB_PORT_5432_TCP_PROTO: 'tcp',
      MY_DB_PORT_5432_TCP_PORT: '5432',
      MY_DB_PORT_5432_TCP_ADDR: '10.96.0.7',
    })
    expect(links.variablesFor('default', false)).toEqual({})
    client.delete(services, 'default', 'my-db')
    expect(links.variablesFor('default', true)).toEqual({})
  })
})

describe('keys that every object inherits', () => {
  it('are not found unless the data holds them', () => {
    const { resolveEnvironment } = setUp()
    const resolve = (valueFrom: EnvVarSource) => () => resolveEnvironment({ env: [{ name: 'A', valueFrom }] })
    expect(resolve({ secretKeyRef: { name: 'login', key: 'constructor' } })).toThrow(
      "couldn't find key constructor in Secret default/login",
    )
    expect(resolve({ configMapKeyRef: { name: 'settings', key: '__proto__' } })).toThrow(
      "couldn't find key __proto__ in ConfigMap default/settings",
    )
    expect(resolve({ fieldRef: { fieldPath: "metadata.labels['constructor']" } })()).toEqual({ A: '' })
  })

  it('become variables if the data holds them', () => {
    const { client, resolveEnvironment } = setUp()
    client.create(configMaps, {
      metadata: { name: 'odd', namespace: 'default' },
      data: JSON.parse('{"__proto__": "a", "constructor": "b"}'),
    })
    const variables = resolveEnvironment({ envFrom: [{ configMapRef: { name: 'odd' } }] })
    expect(JSON.stringify(variables)).toBe('{"__proto__":"a","constructor":"b"}')
  })
})

describe('expansion', () => {
  it('replaces references and leaves other text unchanged', () => {
    expect(expandVariables('plain $HOME', { HOME: '/' })).toBe('plain $HOME')
    const container = { name: 'c', command: ['sh'], args: ['-c', 'echo $(A)'] }
    expect(expandCommand(container, { A: 'x' })).toEqual({ ...container, args: ['-c', 'echo x'] })
  })
})
