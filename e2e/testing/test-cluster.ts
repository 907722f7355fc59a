/** A cluster of the local engine for the end-to-end tests, and shells for it. */
import type { ChildProcess } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Kubectl } from '#lab/tools'
import { createLocalEngine } from '#platform/engines/local'
import type { Cluster, ListeningCluster } from '#platform/kube'
import type { KubeApi } from '#spec'
import { createRequester, type Requester } from './create-requester.ts'
import { createShell, killGroup, type Shell } from './shell.ts'
import { testImages } from './test-images.ts'

/** The credentials of a shell: a token or a certificate of the administrator, or another token. */
export type Credentials = 'token' | 'certificate' | { token: string }

/** The address of the cluster, and the credentials of its administrator. */
export type TestServer = Pick<
  ListeningCluster,
  'url' | 'token' | 'certificateAuthority' | 'kubeconfig' | 'certificateKubeconfig'
>

export interface TestCluster {
  readonly cluster: Cluster
  readonly server: TestServer
  /** The in-process API, with the rights of an administrator. */
  readonly api: KubeApi
  /** Sends plain HTTP requests as an administrator. */
  readonly request: Requester
  /** A temporary folder; `close` removes it. */
  readonly home: string
  /** Creates the namespace if it does not exist, and a shell for it that runs in a separate folder. */
  shell(kubectl: Kubectl, namespace: string, credentials?: Credentials): Promise<Shell>
  /** Ends every process and removes every file; rejects if the cluster had internal errors. */
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
  // A folder that is removed with the cluster, even after a kill.
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
        // The shells of one kubectl share the discovery cache, as those of a user do.
        HOME: join(home, `kubectl-${kubectl.version}`),
        // After a failed edit, kubectl leaves a temporary file.
        TMPDIR: home,
        KUBECONFIG: join(cwd, 'kubeconfig'),
        // Marks the processes of the shell: after a killed test run, they are removed with the cluster.
        REMEDIUM_CLUSTER: local.folder,
        PATH: `${join(cwd, 'bin')}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      }
      return createShell({ cwd, env }, running)
    },
    async close() {
      for (const child of running) killGroup(child)
      await local.close()
      if (errors.length > 0) throw new AggregateError(errors, 'the cluster had internal errors')
    },
  }
}
