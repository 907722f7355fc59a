/** Tests Ansible's helm modules with the real helm, and charts from a folder and a repository. */
import { mkdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { play, type TaskReports } from './testing/play.ts'
import { createTestCluster, type TestCluster } from './testing/test-cluster.ts'
import { helm, kubectls } from './tools.ts'

const CHART = join(import.meta.dirname, 'charts', 'orchard')

let cluster: TestCluster
let repository: Server
let report: TaskReports

/** Serves packaged charts and their index. */
const serveFolder = async (folder: string): Promise<Server> => {
  const server = createServer((request, response) => {
    response.end(readFileSync(join(folder, basename(request.url!))))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

beforeAll(async () => {
  cluster = await createTestCluster('ansible-releases')
  const shell = await cluster.shell(kubectls().at(-1)!, 'default')
  repository = await serveFolder(shell.cwd)
  const url = `http://127.0.0.1:${(repository.address() as AddressInfo).port}`
  await shell(`${helm()} package ${CHART} && ${helm()} repo index . --url ${url}`)
  const folder = join(cluster.home, 'pulled')
  mkdirSync(folder)
  report = await play(cluster, 'releases.yml', {
    variables: { helm: helm(), chart: CHART, repository: url, folder },
  })
})
afterAll(async () => {
  repository?.close()
  await cluster?.close()
})

describe('helm_repository and helm_pull', () => {
  it('add a repository, and pull a chart from it', () => {
    expect(report('add a repository').changed).toBe(true)
    expect(report('add the same repository again').changed).toBe(false)
    expect(report('pull').changed).toBe(true)
    expect(report('remove the repository').changed).toBe(true)
  })
})

describe('helm_template', () => {
  it('renders without the cluster', () => {
    expect(report('render').stdout).toContain('greeting: "rendered"')
  })
})

describe('helm', () => {
  it('reports an installation in check mode', () => {
    expect(report('install in check mode').changed).toBe(true)
  })

  it('installs a release once', () => {
    expect(report('install')).toMatchObject({
      changed: true,
      status: { name: 'farm', namespace: 'farms', status: 'deployed', chart: 'orchard-0.3.0' },
    })
    expect(report('install again').changed).toBe(false)
  })

  it('upgrades a release if its values differ', () => {
    expect(report('upgrade')).toMatchObject({
      changed: true,
      status: { status: 'deployed', values: { replicas: 1, greeting: 'good evening' } },
    })
  })

  it('reports why an upgrade failed', () => {
    const failed = report('upgrade to invalid values')
    expect(failed.failed).toBe(true)
    expect(failed.stderr).toContain(
      'UPGRADE FAILED: error validating "": error validating data: ValidationError(Deployment.spec.replicas): invalid type for io.k8s.api.apps.v1.DeploymentSpec.replicas: got "string", expected "integer"',
    )
  })

  it('uninstalls a release once', async () => {
    expect(report('uninstall').changed).toBe(true)
    expect(report('uninstall again').changed).toBe(false)
    const deployments = { apiVersion: 'apps/v1', plural: 'deployments', namespace: 'farms' }
    expect((await cluster.api.list(deployments)).items).toEqual([])
  })
})

describe('helm_info', () => {
  it('reports the release, and no status if it is missing', () => {
    expect(report('release info').status).toMatchObject({
      name: 'farm',
      status: 'deployed',
      revision: '2',
      app_version: '1.4',
    })
    expect(report('release info on a missing release')).not.toHaveProperty('status')
  })
})
