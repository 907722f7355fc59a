/** Lists that the Kubernetes modules compare and merge by a key, by their path in an object. */

const POD_LISTS: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  ephemeralContainers: 'name',
  volumes: 'name',
  imagePullSecrets: 'name',
}

const CONTAINER_LISTS: Readonly<Record<string, string>> = {
  volumeMounts: 'mountPath',
  volumeDevices: 'devicePath',
  env: 'name',
  ports: 'containerPort',
}

/** The paths of pod specs. The module misspells CronJob, so its lists have no keys. */
const POD_SPECS = [
  'Pod.spec',
  'Deployment.spec.template.spec',
  'DaemonSet.spec.template.spec',
  'StatefulSet.spec.template.spec',
  'Job.spec.template.spec',
  'Cronjob.spec.jobTemplate.spec.template.spec',
]

const CONTAINERS = ['containers', 'initContainers', 'ephemeralContainers']

const KEYS = new Map<string, string>([
  ['Service.spec.ports', 'port'],
  ['ServiceAccount.secrets', 'name'],
  ['ValidatingWebhookConfiguration.webhooks', 'name'],
  ['MutatingWebhookConfiguration.webhooks', 'name'],
  ...POD_SPECS.flatMap((place) => [
    ...Object.entries(POD_LISTS).map(([list, key]): [string, string] => [`${place}.${list}`, key]),
    ...CONTAINERS.flatMap((container) =>
      Object.entries(CONTAINER_LISTS).map(([list, key]): [string, string] => [
        `${place}.${container}.${list}`,
        key,
      ]),
    ),
  ]),
])

export const mergeKeyOf = (position: string): string | undefined => KEYS.get(position)

/** An entry of a list that lacks its key. */
export class MissingMergeKey extends Error {}

/** Entries by their key; the last of several with the same key. */
export const byMergeKey = (
  list: readonly unknown[],
  key: string,
  position: string,
): Map<unknown, Record<string, unknown>> =>
  new Map(
    list.map((item) => {
      const map = item as Record<string, unknown>
      if (!(key in map)) throw new MissingMergeKey(`Expected key '${key}' not found in position ${position}`)
      return [map[key], map]
    }),
  )
