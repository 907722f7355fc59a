/** Finds data stores by their images, and builds commands for their clients. */

import { labelsOf } from '#spec'
import { decodeSecret } from '../config/secret-siblings.ts'
import type { PodView } from '../observe/pods.ts'
import { mainContainer, type WorkloadView } from '../observe/workloads.ts'
import type { World } from '../observe/world.ts'

export type StoreKind = 'mysql' | 'mongodb' | 'redis' | 'memcached'

const IMAGES: readonly (readonly [StoreKind, RegExp])[] = [
  ['mysql', /mysql|mariadb|xenondb|percona/],
  ['mongodb', /mongo/],
  ['redis', /redis/],
  ['memcached', /memcached/],
]

const storeKindOf = (workload: WorkloadView): StoreKind | undefined =>
  IMAGES.find(([, pattern]) => pattern.test(mainContainer(workload)?.image ?? ''))?.[0]

export const listStores = (
  workloads: readonly WorkloadView[],
): readonly { readonly workload: WorkloadView; readonly kind: StoreKind }[] =>
  workloads.flatMap((workload) => {
    const kind = storeKindOf(workload)
    return kind === undefined ? [] : [{ workload, kind }]
  })

/** Returns the pod that accepts writes: the one labelled as the leader, or the first. */
export const findLeader = (pods: readonly PodView[]): PodView | undefined =>
  pods.find(({ object }) => labelsOf(object).role === 'leader') ?? pods[0]

const readVariable = async (
  world: World,
  workload: WorkloadView,
  name: string,
): Promise<string | undefined> => {
  const { env = [] } = mainContainer(workload) ?? {}
  const variable = env.find((variable) => variable.name === name)
  const secretRef = variable?.valueFrom?.secretKeyRef
  if (secretRef?.name === undefined) return variable?.value
  return decodeSecret(await world.object('Secret', secretRef.name))[secretRef.key]
}

/** Returns a `mongo` command with the statement, as the root user if there is one. */
export const toMongoCommand = async (
  world: World,
  store: WorkloadView,
  statement: string,
): Promise<readonly string[]> => {
  const user = await readVariable(world, store, 'MONGO_INITDB_ROOT_USERNAME')
  const password = await readVariable(world, store, 'MONGO_INITDB_ROOT_PASSWORD')
  const login =
    user === undefined ? [] : ['-u', user, '-p', password ?? '', '--authenticationDatabase', 'admin']
  return ['mongo', 'admin', '--quiet', ...login, '--eval', statement]
}
