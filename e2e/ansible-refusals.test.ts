/** Ansible's reports of refused requests and of check mode. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Played, play, wordsIn } from './testing/play.ts'
import { createTestCluster, type TestCluster } from './testing/test-cluster.ts'
import { kubectls } from './tools.ts'

const NAMESPACE = 'default'

let cluster: TestCluster

const configMaps = { apiVersion: 'v1', plural: 'configmaps', namespace: NAMESPACE }
const deployment = (name: string) => ({
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
  for (const name of ['fixed', 'solid']) await cluster.api.create(deployments, deployment(name))
})
afterAll(() => cluster?.close())

describe('a playbook with a rejected request', () => {
  let report: Played

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

  const refused = (task: string, reason: string, ...words: string[]) => {
    expect(report(task)).toMatchObject({ failed: true, reason })
    for (const part of words) expect(wordsIn(report(task))).toContain(part)
  }

  it('gets the invalid fields', () => {
    refused(
      'a field that is not valid',
      'Unprocessable Entity',
      'Deployment.apps "wrong" is invalid',
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      '`selector` does not match template `labels`',
    )
    refused(
      'a field of the wrong type',
      'Bad Request',
      'Deployment in version "v1" cannot be handled as a Deployment',
    )
    refused('a field that cannot change', 'Unprocessable Entity', 'field is immutable')
  })

  it('gets a conflict for an old version', () => {
    refused(
      'a replacement of an old version',
      'Conflict',
      'Operation cannot be fulfilled on configmaps "old": the object has been modified; please apply your changes to the latest version and try again',
    )
  })

  it('gets what does not exist', () => {
    refused('a namespace that is not there', 'Not Found', 'namespaces "nowhere" not found')
    expect(wordsIn(report('a kind that is not there'))).toContain(
      'Failed to find exact match for nowhere.example.com/v1.Nothing by [kind, name, singularName, shortNames]',
    )
    refused('a patch of a missing object', 'Not Found', 'configmaps "lost" not found')
  })

  it('gets an error for a broken selector', () => {
    refused('a broken selector', 'Bad Request', "unable to parse requirement: found '' expected: '('")
    // k8s_info hides what a server says to a bad request.
    expect(report('a selector of an unsupported field')).toMatchObject({ changed: false, resources: [] })
  })

  it('is rejected without credentials', () => {
    expect(report('an unknown password')).toMatchObject({ failed: true })
    expect(wordsIn(report('an unknown password'))).toContain('Unauthorized')
  })

  it('has the rights of its account, and no more', async () => {
    expect(report('the guest reads a permitted object').resources).toHaveLength(1)
    expect(report('the guest changes a permitted object').changed).toBe(true)
    expect((await cluster.api.get({ ...configMaps, name: 'old' })).data).toEqual({ guest: 'was here' })

    const guest = 'User "system:serviceaccount:default:guest" cannot'
    expect(wordsIn(report('the guest reads a forbidden object'))).toContain(
      `secrets is forbidden: ${guest} list resource "secrets" in API group "" in the namespace "default"`,
    )
    refused(
      'the guest looks into another namespace',
      'Forbidden',
      `configmaps "x" is forbidden: ${guest} get resource "configmaps" in API group "" in the namespace "kube-system"`,
    )
    refused(
      'the guest makes a deployment',
      'Forbidden',
      `deployments.apps "guest" is forbidden: ${guest} get resource "deployments" in API group "apps" in the namespace "default"`,
    )
    refused(
      'the guest removes a node',
      'Forbidden',
      `nodes "node1" is forbidden: ${guest} get resource "nodes" in API group "" at the cluster scope`,
    )
    refused(
      'the guest gives himself more',
      'Forbidden',
      `roles.rbac.authorization.k8s.io "more" is forbidden`,
    )
  })

  it('impersonates other users if allowed', () => {
    expect(wordsIn(report('the administrator in the place of the guest'))).toContain(
      'secrets is forbidden: User "system:serviceaccount:default:guest" cannot list resource "secrets"',
    )
    refused(
      'the guest in the place of the administrator',
      'Forbidden',
      'users "root" is forbidden: User "system:serviceaccount:default:guest" cannot impersonate resource "users" in API group "" at the cluster scope',
    )
  })
})

describe('a playbook in check mode', () => {
  it('reports what would change, and changes nothing', async () => {
    const solid = await cluster.api.get({ ...configMaps, name: 'solid' })
    const report = await play(cluster, 'check-mode.yml', { check: true, credentials: 'certificate' })
    expect(report('would make')).toMatchObject({
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
    expect(report('would be refused')).toMatchObject({ failed: true, reason: 'Unprocessable Entity' })

    expect(await cluster.api.get({ ...configMaps, name: 'solid' })).toEqual(solid)
    await expect(cluster.api.get({ ...configMaps, name: 'imagined' })).rejects.toMatchObject({ code: 404 })
  })
})
