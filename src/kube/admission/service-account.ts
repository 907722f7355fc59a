/** Gives pods the service account they run as, and its token where containers look for it. */
import type { Container, Pod, PodSpec, ServiceAccount, Volume } from 'kubernetes-types/core/v1.d.ts'
import type { Random } from '../../kit/index.ts'
import { pods, serviceAccounts } from '../kinds/index.ts'
import type { Stored } from '../meta/index.ts'
import type { AdmissionPlugin } from '../ports/index.ts'
import { refuseDraft } from './refuse.ts'

const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount'
const VOLUME_PREFIX = 'kube-api-access-'
/** A little over an hour, by which the issuer knows that a pod asks. */
const TOKEN_SECONDS = 3607
const FILE_MODE = 0o644

/** The token, the authority's certificate and the name of the namespace, side by side. */
const tokenVolume = (name: string): Volume => ({
  name,
  projected: {
    sources: [
      { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      },
    ],
    defaultMode: FILE_MODE,
  },
})

const lacksMount = ({ volumeMounts = [] }: Container): boolean =>
  !volumeMounts.some(({ mountPath }) => mountPath === MOUNT_PATH)

const mountToken = (spec: PodSpec, random: Random): void => {
  const existing = spec.volumes?.find(({ name }) => name?.startsWith(VOLUME_PREFIX))
  const name = existing?.name ?? `${VOLUME_PREFIX}${random.suffix(5)}`
  const containers = [...(spec.initContainers ?? []), ...spec.containers].filter(lacksMount)
  for (const container of containers) {
    const mount = { name, readOnly: true, mountPath: MOUNT_PATH }
    container.volumeMounts = [...(container.volumeMounts ?? []), mount]
  }
  if (existing === undefined && containers.length > 0)
    spec.volumes = [...(spec.volumes ?? []), tokenVolume(name)]
}

const wantsToken = (account: Stored<ServiceAccount>, { automountServiceAccountToken }: PodSpec): boolean =>
  automountServiceAccountToken ?? account.automountServiceAccountToken ?? true

export const createServiceAccountAdmission = (random: Random): AdmissionPlugin => ({
  name: 'ServiceAccount',
  admit(request) {
    if (request.kind.id !== pods.id || request.operation !== 'CREATE') return
    const { spec } = request.object as Stored<Pod>
    spec.serviceAccountName ||= 'default'
    const { serviceAccountName: name } = spec
    const account = request.client.get(serviceAccounts, request.namespace, name)
    if (account === undefined) {
      throw refuseDraft(
        request,
        `error looking up service account ${request.namespace}/${name}: serviceaccount "${name}" not found`,
      )
    }
    if (wantsToken(account, spec)) mountToken(spec, random)
    if ((spec.imagePullSecrets ?? []).length === 0 && account.imagePullSecrets?.length)
      spec.imagePullSecrets = account.imagePullSecrets.map((secret) => ({ ...secret }))
  },
})
