/** Data stores among the workloads, known by their images, and how one speaks to them from a shell. */

import { valuesOf } from '../config/secret-siblings.ts'
import { labelsOf } from '../observe/kube-shapes.ts'
import type { PodView } from '../observe/pods.ts'
import { mainContainer, type WorkloadView } from '../observe/workloads.ts'
import type { World } from '../observe/world.ts'

export type StoreWire = 'mysql' | 'mongodb' | 'redis' | 'memcached'

const IMAGES: readonly (readonly [StoreWire, RegExp])[] = [
  ['mysql', /mysql|mariadb|xenondb|percona/],
  ['mongodb', /mongo/],
  ['redis', /redis/],
  ['memcached', /memcached/],
]

const wireOf = (workload: WorkloadView): StoreWire | undefined =>
  IMAGES.find(([, pattern]) => pattern.test(mainContainer(workload)?.image ?? ''))?.[0]

export const storesOf = (
  workloads: readonly WorkloadView[],
): readonly { readonly workload: WorkloadView; readonly wire: StoreWire }[] =>
  workloads.flatMap((workload) => {
    const wire = wireOf(workload)
    return wire === undefined ? [] : [{ workload, wire }]
  })

/** The pod that takes writes: of several the one that is labelled so. */
export const leaderOf = (pods: readonly PodView[]): PodView | undefined =>
  pods.find(({ object }) => labelsOf(object).role === 'leader') ?? pods[0]

const variableOf = async (
  world: World,
  workload: WorkloadView,
  name: string,
): Promise<string | undefined> => {
  const { env = [] } = mainContainer(workload) ?? {}
  const own = env.find((one) => one.name === name)
  const from = own?.valueFrom?.secretKeyRef
  if (from === undefined) return own?.value
  return valuesOf(await world.object('Secret', from.name))[from.key]
}

/** `mongo` with this statement, as its root where it has one. */
export const mongoCommand = async (
  world: World,
  store: WorkloadView,
  statement: string,
): Promise<readonly string[]> => {
  const user = await variableOf(world, store, 'MONGO_INITDB_ROOT_USERNAME')
  const password = await variableOf(world, store, 'MONGO_INITDB_ROOT_PASSWORD')
  const who =
    user === undefined ? [] : ['-u', user, '-p', password ?? '', '--authenticationDatabase', 'admin']
  return ['mongo', 'admin', '--quiet', ...who, '--eval', statement]
}
