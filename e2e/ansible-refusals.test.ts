/** Tests what Ansible reports for rejected requests and in check mode. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { play, serverMessage, type TaskReports } from './testing/play.ts'
import { createTestCluster, type TestCluster } from './testing/test-cluster.ts'
import { kubectls } from './tools.ts'

const NAMESPACE = 'default'

let cluster: TestCluster

const configMaps = { apiVersion: 'v1', plural: 'configmaps', namespace: NAMESPACE }
const toDeployment = (name: string) => ({
  metadata: { name, namespace: NAMESPACE },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'busybox:1.36' }] },
    },
  },
})

beforeAll(async () => {
  cluster = await createTestCluster('ansible-refusals')
  await cluster.api.create(configMaps, { metadata: { name: 'old', namespace: NAMESPACE } })
  await cluster.api.create(configMaps, {
    metadata: { name: 'solid', namespace: NAMESPACE },
    data: { a: '1' },
  })
  const deployments = { apiVersion: 'apps/v1', plural: 'deployments', namespace: NAMESPACE }
  for (const name of ['fixed', 'solid']) await cluster.api.create(deployments, toDeployment(name))
})
afterAll(() => cluster?.close())

describe('a playbook with a rejected request', () => {
  let report: TaskReports

  beforeAll(async () => {
    const kubectl = await cluster.shell(kubectls().at(-1)!, NAMESPACE)
    await kubectl('kubectl create serviceaccount guest')
    await kubectl('kubectl create role guest --verb=get,patch --resource=configmaps')
    await kubectl(`kubectl create rolebinding guest --role=guest --serviceaccount=${NAMESPACE}:guest`)
    const authority = join(cluster.home, 'authority.pem')
    writeFileSync(authority, cluster.server.certificateAuthority)
    const guestToken = (await kubectl('kubectl create token guest')).trim()
    report = await play(cluster, 'failures.yml', {
      variables: { server: cluster.server.url, authority, guest_token: guestToken },
    })
  })

  const expectRejected = (task: string, reason: string, ...messages: string[]) => {
    expect(report(task)).toMatchObject({ failed: true, reason })
    for (const message of messages) expect(serverMessage(report(task))).toContain(message)
  }

  it('reports the invalid fields', () => {
    expectRejected(
      'invalid fields',
      'Unprocessable Entity',
      'Deployment.apps "wrong" is invalid',
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      '`selector` does not match template `labels`',
    )
    expectRejected(
      'a field of the wrong type',
      'Bad Request',
      'Deployment in version "v1" cannot be handled as a Deployment',
    )
    expectRejected('a change of an immutable field', 'Unprocessable Entity', 'field is immutable')
  })

  it('reports a conflict for an outdated resource version', () => {
    expectRejected(
      'a replacement with an outdated resource version',
      'Conflict',
      'Operation cannot be fulfilled on configmaps "old": the object has been modified; please apply your changes to the latest version and try again',
    )
  })

  it('reports missing namespaces, kinds and objects', () => {
    expectRejected('a missing namespace', 'Not Found', 'namespaces "nowhere" not found')
    expect(serverMessage(report('an unknown kind'))).toContain(
      'Failed to find exact match for nowhere.example.com/v1.Nothing by [kind, name, singularName, shortNames]',
    )
    expectRejected('a patch of a missing object', 'Not Found', 'configmaps "lost" not found')
  })

  it('reports an invalid selector', () => {
    expectRejected(
      'an invalid label selector',
      'Bad Request',
      "unable to parse requirement: found '' expected: '('",
    )
    // k8s_info ignores the status 400, and returns no resources.
    expect(report('a selector of an unsupported field')).toMatchObject({ changed: false, resources: [] })
  })

  it('is unauthorized with an invalid token', () => {
    expect(report('an invalid token')).toMatchObject({ failed: true })
    expect(serverMessage(report('an invalid token'))).toContain('Unauthorized')
  })

  it('has only the rights of its account', async () => {
    expect(report('the guest reads a permitted object').resources).toHaveLength(1)
    expect(report('the guest changes a permitted object').changed).toBe(true)
    expect((await cluster.api.get({ ...configMaps, name: 'old' })).data).toEqual({ guest: 'was here' })

    const guest = 'User "system:serviceaccount:default:guest" cannot'
    expect(serverMessage(report('the guest reads a forbidden object'))).toContain(
      `secrets is forbidden: ${guest} list resource "secrets" in API group "" in the namespace "default"`,
    )
    expectRejected(
      'the guest reads another namespace',
      'Forbidden',
      `configmaps "x" is forbidden: ${guest} get resource "configmaps" in API group "" in the namespace "kube-system"`,
    )
    expectRejected(
      'the guest creates a deployment',
      'Forbidden',
      `deployments.apps "guest" is forbidden: ${guest} get resource "deployments" in API group "apps" in the namespace "default"`,
    )
    expectRejected(
      'the guest deletes a node',
      'Forbidden',
      `nodes "node1" is forbidden: ${guest} get resource "nodes" in API group "" at the cluster scope`,
    )
    expectRejected(
      'the guest creates a role with more rights',
      'Forbidden',
      `roles.rbac.authorization.k8s.io "more" is forbidden`,
    )
  })

  it('impersonates other users if allowed', () => {
    expect(serverMessage(report('the administrator impersonates the guest'))).toContain(
      'secrets is forbidden: User "system:serviceaccount:default:guest" cannot list resource "secrets"',
    )
    expectRejected(
      'the guest impersonates the administrator',
      'Forbidden',
      'users "root" is forbidden: User "system:serviceaccount:default:guest" cannot impersonate resource "users" in API group "" at the cluster scope',
    )
  })
})

describe('a playbook in check mode', () => {
  it('reports what would change, and changes nothing', async () => {
    const solid = await cluster.api.get({ ...configMaps, name: 'solid' })
    const report = await play(cluster, 'check-mode.yml', { check: true, credentials: 'certificate' })
    expect(report('would create')).toMatchObject({
      changed: true,
      result: { metadata: { uid: expect.any(String) } },
    })
    expect(report('would change')).toMatchObject({ changed: true, result: { data: { a: '2' } } })
    expect(report('would not change').changed).toBe(false)
    expect(report('would apply')).toMatchObject({ changed: true, result: { data: { a: '3' } } })
    expect(report('would apply on the server')).toMatchObject({ changed: true, result: { data: { a: '4' } } })
    expect(report('would replace').result.data).toEqual({ b: '1' })
    expect(report('would patch')).toMatchObject({ changed: true })
    expect(report('would scale')).toMatchObject({ changed: true, result: { spec: { replicas: 5 } } })
    expect(report('would remove').changed).toBe(true)
    expect(report('would be rejected')).toMatchObject({ failed: true, reason: 'Unprocessable Entity' })

    expect(await cluster.api.get({ ...configMaps, name: 'solid' })).toEqual(solid)
    await expect(cluster.api.get({ ...configMaps, name: 'imagined' })).rejects.toMatchObject({ code: 404 })
  })
})
