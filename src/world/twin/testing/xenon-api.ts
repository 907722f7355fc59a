/** The Kubernetes API for tests of xenon: pods that no node runs, and the service account of their sidecars. */
import { type Clock, createRandom } from '#kit'
import { createCluster, createSimulatedRuntime } from '#platform/kube'
import type { HttpRequestContent, HttpResponseContent } from '#spec'

const NAMESPACE = 'default'
const ACCOUNT = 'xenon'
const PODS = { apiVersion: 'v1', plural: 'pods', namespace: NAMESPACE }
const RBAC = { apiVersion: 'rbac.authorization.k8s.io/v1', namespace: NAMESPACE }
const ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount'

export interface XenonApi {
  /** Answers requests without sockets. */
  answer(request: HttpRequestContent): Promise<HttpResponseContent>
  /** Only with sockets. */
  readonly port: number
  /** The files that the kubelet mounts, by their paths. */
  readonly files: Readonly<Record<string, string>>
  addPod(name: string, ip: string): Promise<void>
  removePod(name: string): Promise<void>
  roles(): Promise<Readonly<Record<string, string | undefined>>>
  close(): Promise<void>
}

export const createXenonApi = async (clock: Clock, hasSockets: boolean): Promise<XenonApi> => {
  const random = createRandom('xenon')
  const cluster = createCluster({
    clock,
    random,
    nodes: [],
    sockets: hasSockets,
    runtimeFor: (_node, nodeIndex) => createSimulatedRuntime({ clock, random, nodeIndex }),
  })
  const listening = hasSockets ? await cluster.listen() : undefined
  const admin = cluster.apiFor({ username: 'admin', groups: ['system:masters'] })
  const accounts = { apiVersion: 'v1', plural: 'serviceaccounts', namespace: NAMESPACE }
  await admin.create(accounts, { metadata: { name: ACCOUNT } })
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'patch'] }]
  await admin.create({ ...RBAC, plural: 'roles' }, { metadata: { name: ACCOUNT }, rules })
  await admin.create(
    { ...RBAC, plural: 'rolebindings' },
    {
      metadata: { name: ACCOUNT },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: ACCOUNT },
      subjects: [{ kind: 'ServiceAccount', name: ACCOUNT }],
    },
  )
  const account = { ...accounts, name: ACCOUNT }
  const request = await admin.create(
    account,
    { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    { subresource: 'token' },
  )
  const { token } = request.status as { token: string }
  return {
    answer: cluster.answer,
    port: listening?.port ?? 443,
    files: {
      [`${ACCOUNT_FOLDER}/token`]: token,
      [`${ACCOUNT_FOLDER}/ca.crt`]: listening?.certificateAuthority ?? '',
      [`${ACCOUNT_FOLDER}/namespace`]: NAMESPACE,
    },
    async addPod(name, ip) {
      const spec = { serviceAccountName: ACCOUNT, containers: [{ name: 'mysql', image: 'a' }] }
      await admin.create(PODS, { metadata: { name, labels: { app: 'db' } }, spec })
      const status = { podIP: ip, podIPs: [{ ip }] }
      await admin.patch({ ...PODS, name }, 'merge', { status }, { subresource: 'status' })
    },
    removePod: (name) => admin.delete({ ...PODS, name }, { gracePeriodSeconds: 0 }),
    async roles() {
      const { items } = await admin.list(PODS)
      return Object.fromEntries(
        items.map(({ metadata }) => [metadata.name, (metadata.labels as Record<string, string>).role]),
      )
    },
    async close() {
      await listening?.close()
      cluster.stop()
    },
  }
}
