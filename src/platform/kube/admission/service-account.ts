/** Sets the service account of pods, mounts its token and adds its image pull secrets. */
import type { Container, Pod, PodSpec, ServiceAccount, Volume } from 'kubernetes-types/core/v1.d.ts'
import type { Random } from '#kit'
import { pods, serviceAccounts } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import type { AdmissionPlugin } from '#platform/kube/ports'
import { forbiddenDraftError } from './forbidden-error.ts'

const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount'
const VOLUME_PREFIX = 'kube-api-access-'
/** Seven seconds over an hour: the value by which the issuer recognises tokens of pods. */
const TOKEN_SECONDS = 3607
const FILE_MODE = 0o644

/** A volume with the token, the CA certificate and the namespace. */
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

const shouldMountToken = (
  account: Stored<ServiceAccount>,
  { automountServiceAccountToken }: PodSpec,
): boolean => automountServiceAccountToken ?? account.automountServiceAccountToken ?? true

export const createServiceAccountAdmission = (random: Random): AdmissionPlugin => ({
  name: 'ServiceAccount',
  admit(request) {
    if (request.kind.id !== pods.id || request.operation !== 'CREATE') return
    const { spec } = request.object as Stored<Pod>
    spec.serviceAccountName ||= 'default'
    const { serviceAccountName: name } = spec
    const account = request.client.get(serviceAccounts, request.namespace, name)
    if (account === undefined) {
      throw forbiddenDraftError(
        request,
        `error looking up service account ${request.namespace}/${name}: serviceaccount "${name}" not found`,
      )
    }
    if (shouldMountToken(account, spec)) mountToken(spec, random)
    if ((spec.imagePullSecrets ?? []).length === 0 && account.imagePullSecrets?.length)
      spec.imagePullSecrets = account.imagePullSecrets.map((secret) => ({ ...secret }))
  },
})
