/** A cluster of the local engine for the end-to-end tests, and shells that reach it. */
import type { ChildProcess } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Kubectl } from '../../src/cli/index.ts'
import { createLocalEngine } from '../../src/engines/local/index.ts'
import type { Cluster, ListeningCluster } from '../../src/kube/index.ts'
import type { KubeApi } from '../../src/spec/index.ts'
import { createRequester, type Requester } from './create-requester.ts'
import { createShell, killGroup, type Shell } from './shell.ts'
import { testImages } from './test-images.ts'

/** How a shell proves who it is: the administrator by token or certificate, or a token given to it. */
export type Credentials = 'token' | 'certificate' | { token: string }

/** Where the cluster answers, and the credentials of its administrator. */
export type TestServer = Pick<
  ListeningCluster,
  'url' | 'token' | 'certificateAuthority' | 'kubeconfig' | 'certificateKubeconfig'
>

export interface TestCluster {
  readonly cluster: Cluster
  readonly server: TestServer
  /** The API in process, as an administrator. */
  readonly api: KubeApi
  /** Plain HTTP requests, as an administrator. */
  readonly request: Requester
  /** Temporary, gone after `close`. */
  readonly home: string
  /** Makes the namespace, if it is not there, and a shell with a folder of its own that acts in it. */
  shell(kubectl: Kubectl, namespace: string, credentials?: Credentials): Promise<Shell>
  /** Ends every process and leaves no file; fails if something went wrong inside the cluster. */
  close(): Promise<void>
}

const ADMIN = { username: 'test-admin', groups: ['system:masters', 'system:authenticated'] }

const poll = async (what: string, attempt: () => Promise<unknown>): Promise<void> => {
  for (let tries = 0; ; tries += 1) {
    try {
      await attempt()
      return
    } catch (error) {
      if (tries === 200) throw new Error(`${what} did not appear`, { cause: error })
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

export const createTestCluster = async (seed = 'test', nodes = 3): Promise<TestCluster> => {
  const errors: unknown[] = []
  const running = new Set<ChildProcess>()
  const engine = createLocalEngine({
    onError: (where, error) => errors.push(new Error(`in ${where}`, { cause: error })),
  })
  const local = await engine.provision(testImages, { seed, nodes })
  const { cluster } = local
  // It goes with the cluster, however that ends.
  const home = join(local.folder, 'home')
  mkdirSync(home)
  const server = { ...local, url: local.server }
  const api = cluster.apiFor(ADMIN)
  let shells = 0

  const kubeconfigFor = (credentials: Credentials, namespace: string): string => {
    if (credentials === 'certificate') return server.certificateKubeconfig(ADMIN, namespace)
    const token = credentials === 'token' ? server.token : credentials.token
    return JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'test',
          cluster: {
            server: server.url,
            'certificate-authority-data': Buffer.from(server.certificateAuthority).toString('base64'),
          },
        },
      ],
      users: [{ name: 'tester', user: { token } }],
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'tester', namespace } }],
      'current-context': 'test',
    })
  }

  const ensureNamespace = async (name: string): Promise<void> => {
    const namespaces = { apiVersion: 'v1', plural: 'namespaces' }
    await api
      .get({ ...namespaces, name })
      .catch(() => api.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }))
    const account = { apiVersion: 'v1', plural: 'serviceaccounts', namespace: name, name: 'default' }
    await poll(`the account of namespace ${name}`, () => api.get(account))
  }

  return {
    cluster,
    server,
    api,
    request: createRequester(server),
    home,
    async shell(kubectl, namespace, credentials = 'token') {
      await ensureNamespace(namespace)
      shells += 1
      const cwd = join(home, `shell-${shells}`)
      mkdirSync(join(cwd, 'bin'), { recursive: true })
      symlinkSync(kubectl.path, join(cwd, 'bin', 'kubectl'))
      writeFileSync(join(cwd, 'kubeconfig'), kubeconfigFor(credentials, namespace))
      const env = {
        // The discovery cache is shared by the shells of one kubectl, as a user's own would be.
        HOME: join(home, `kubectl-${kubectl.version}`),
        // kubectl leaves what an edit that came to nothing was about.
        TMPDIR: home,
        KUBECONFIG: join(cwd, 'kubeconfig'),
        // Whatever a killed test run leaves behind is known by it, and goes with the cluster.
        REMEDIUM_CLUSTER: local.folder,
        PATH: `${join(cwd, 'bin')}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      }
      return createShell({ cwd, env }, running)
    },
    async close() {
      for (const child of running) killGroup(child)
      await local.close()
      if (errors.length > 0) throw new AggregateError(errors, 'Something went wrong inside the cluster.')
    },
  }
}
