/** Tests the real helm: the life cycle of releases, hooks, CustomResourceDefinitions, and failures. */
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { Shell } from './testing/shell.ts'
import { createTestCluster, type TestCluster } from './testing/test-cluster.ts'
import { helm, kubectls } from './tools.ts'

const CHART = join(import.meta.dirname, 'charts', 'orchard')
const UNSCHEDULABLE = '--set nodeSelector.soil=none'

let cluster: TestCluster
let shell: Shell
let namespaceCount = 0

beforeAll(async () => {
  cluster = await createTestCluster('helm')
})
beforeEach(async () => {
  namespaceCount += 1
  shell = await cluster.shell(kubectls().at(-1)!, `farm-${namespaceCount}`)
})
afterAll(() => cluster?.close())

const run = (args: string): Promise<string> => shell(`${helm()} ${args}`)
const runExpectingFailure = (args: string): Promise<string> => shell.expectFailure(`${helm()} ${args}`)
const install = (args = ''): Promise<string> => run(`install farm ${CHART} --wait --timeout 60s ${args}`)
const upgrade = (args = ''): Promise<string> => run(`upgrade farm ${CHART} --wait --timeout 60s ${args}`)
const kubectl = (args: string): Promise<string> => shell(`kubectl ${args}`)
const waitUntilDeleted = (): Promise<string> =>
  shell.eventually('kubectl get deployments,services,pods -l app.kubernetes.io/instance=farm -o name', /^$/)
const readField = (object: string, path: string): Promise<string> =>
  kubectl(`get ${object} -o jsonpath={${path}}`)

describe('a release', () => {
  it('is installed, upgraded, rolled back and uninstalled', async () => {
    expect(await install('--set replicas=1')).toMatch(/STATUS: deployed[\s\S]*farm has 1 keepers\./)
    expect(await readField('deployment/farm', '.status.availableReplicas')).toBe('1')
    expect(await readField('tree/farm', '.spec')).toBe('{"age":1,"fruit":"pear"}')
    expect(await readField('job/farm-migration', '.status.succeeded')).toBe('1')

    expect(await upgrade('--set greeting=evening')).toContain('REVISION: 2')
    expect(await readField('configmap/farm', '.data.greeting')).toBe('evening')
    expect(await readField('configmap/farm-diary', '.data.revision')).toBe('2')
    expect(await readField('deployment/farm', '.status.availableReplicas')).toBe('2')

    expect(await run('rollback farm 1 --wait --timeout 60s')).toContain('Rollback was a success!')
    expect(await readField('configmap/farm', '.data.greeting')).toBe('good morning')
    expect(await readField('deployment/farm', '.spec.replicas')).toBe('1')

    const history = JSON.parse(await run('history farm -o json'))
    expect(
      history.map((entry: Record<string, unknown>) => [entry.revision, entry.status, entry.description]),
    ).toEqual([
      [1, 'superseded', 'Install complete'],
      [2, 'superseded', 'Upgrade complete'],
      [3, 'deployed', 'Rollback to 1'],
    ])

    expect(await run('uninstall farm')).toContain('release "farm" uninstalled')
    await waitUntilDeleted()
    expect(await kubectl('get secrets -o name')).not.toContain('sh.helm.release')
    expect(await kubectl('get crd trees.orchard.example.com -o name')).toContain('trees.orchard.example.com')
  })

  it('can be inspected', async () => {
    await install('--set greeting=hi --no-hooks')
    expect(JSON.parse(await run('list -o json'))).toMatchObject([
      { name: 'farm', revision: '1', status: 'deployed', chart: 'orchard-0.3.0', app_version: '1.4' },
    ])
    expect(JSON.parse(await run('list --all-namespaces -o json'))).toContainEqual(
      expect.objectContaining({ name: 'farm', namespace: `farm-${namespaceCount}` }),
    )
    expect(JSON.parse(await run('status farm -o json'))).toMatchObject({
      info: { status: 'deployed' },
      version: 1,
    })
    expect(JSON.parse(await run('get values farm -o json'))).toEqual({ greeting: 'hi' })
    expect(JSON.parse(await run('get values farm --all -o json'))).toMatchObject({
      greeting: 'hi',
      replicas: 2,
    })
    expect(await run('get notes farm')).toContain('farm has 2 keepers.')
    expect(await run('get hooks farm')).toContain('name: farm-migration')
    const manifest = parseAllDocuments(await run('get manifest farm')).map((document) => document.toJS())
    expect(manifest.map(({ kind }) => kind)).toEqual([
      'ServiceAccount',
      'ConfigMap',
      'Service',
      'Deployment',
      'Tree',
    ])
    await expect(kubectl('get job farm-migration')).rejects.toThrow('jobs.batch "farm-migration" not found')
  })

  it('is replaced with force, keeps its history if configured, and can be stored in ConfigMaps', async () => {
    const quick = `${CHART} --no-hooks --set replicas=0`
    await run(`upgrade farm ${quick} --install`)
    const uid = await readField('deployment/farm', '.metadata.uid')
    await run(`upgrade farm ${quick} --force --set greeting=forced`)
    expect(await readField('configmap/farm', '.data.greeting')).toBe('forced')
    expect(await readField('deployment/farm', '.metadata.uid')).toBe(uid)

    await run('uninstall farm --keep-history')
    expect(JSON.parse(await run('list --uninstalled -o json'))).toMatchObject([
      { name: 'farm', status: 'uninstalled' },
    ])
    await run('rollback farm 1 --no-hooks')
    expect(await readField('configmap/farm', '.data.greeting')).toBe('good morning')

    await shell(`HELM_DRIVER=configmap ${helm()} install barn ${quick}`)
    expect(await kubectl('get configmaps -l owner=helm -o name')).toBe(
      'configmap/sh.helm.release.v1.barn.v1\n',
    )
  })

  it('runs its test hooks', async () => {
    await install('--set replicas=1')
    expect(await run('test farm --logs')).toMatch(
      /Phase:\s+Succeeded[\s\S]*POD LOGS: farm-greeting\ngood morning/,
    )
    await kubectl(`patch configmap farm -p '{"data":{"greeting":""}}'`)
    expect(await runExpectingFailure('test farm')).toContain('pod farm-greeting failed')
  })
})

describe('a release that fails', () => {
  it('does not exist after an atomic installation', async () => {
    expect(
      await runExpectingFailure(`install farm ${CHART} --atomic --no-hooks --timeout 3s ${UNSCHEDULABLE}`),
    ).toContain(
      'release farm failed, and has been uninstalled due to atomic being set: timed out waiting for the condition',
    )
    expect(JSON.parse(await run('list --all -o json'))).toEqual([])
    await waitUntilDeleted()
  })

  it('is unchanged after an atomic upgrade', async () => {
    await install('--set replicas=1')
    expect(
      await runExpectingFailure(
        `upgrade farm ${CHART} --atomic --no-hooks --timeout 3s --set replicas=1 ${UNSCHEDULABLE}`,
      ),
    ).toContain('release farm failed, and has been rolled back due to atomic being set')
    expect(await readField('deployment/farm', '.spec.template.spec.nodeSelector')).toBe('')
    expect(
      JSON.parse(await run('history farm -o json')).map(({ status }: { status: string }) => status),
    ).toEqual(['superseded', 'failed', 'deployed'])
  })

  it('reports a failed hook', async () => {
    expect(
      await runExpectingFailure(`install farm ${CHART} --set migrationExitCode=3 --timeout 60s`),
    ).toContain('failed pre-install: job failed: BackoffLimitExceeded')
    expect(await run('list --failed -o json')).toContain('"status":"failed"')
  })

  it('reports what the server rejects', async () => {
    expect(await runExpectingFailure(`install farm ${CHART} --no-hooks --set replicas=-2`)).toContain(
      'Deployment.apps "farm" is invalid: spec.replicas: Invalid value: -2: must be greater than or equal to 0',
    )
    await kubectl('create configmap barn')
    expect(await runExpectingFailure(`install barn ${CHART} --no-hooks`)).toContain(
      'invalid ownership metadata; label validation error: missing key "app.kubernetes.io/managed-by"',
    )
    expect(await runExpectingFailure('uninstall nobody')).toContain(
      'uninstall: Release not loaded: nobody: release: not found',
    )
  })
})

describe('a chart', () => {
  it('is linted, and rendered for kubectl', async () => {
    expect(await run(`lint ${CHART} --strict`)).toContain('1 chart(s) linted, 0 chart(s) failed')
    await kubectl(`apply -f ${join(CHART, 'crds')}`)
    await kubectl('wait --for=condition=Established crd/trees.orchard.example.com --timeout=20s')
    expect(
      await shell(`${helm()} template field ${CHART} --no-hooks --set replicas=1 | kubectl apply -f -`),
    ).toContain('deployment.apps/field created')
    await kubectl('rollout status deployment/field --timeout=60s')
    expect(
      await shell(`${helm()} template field ${CHART} --no-hooks --set replicas=1 | kubectl apply -f -`),
    ).toMatch(/^(\S+ unchanged\n)+$/)
  })

  it('reads the capabilities of the server', async () => {
    expect(await run(`template field ${CHART} --validate --skip-crds --no-hooks`)).toContain('kind: Tree')
    expect(await run(`install field ${CHART} --dry-run`)).toContain('STATUS: pending-install')
    expect(await kubectl('get deployments -o name')).toBe('')
  })
})
