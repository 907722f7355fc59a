/** Finds the pod that the workload of a store created: any client can create a pod with the labels of a store. */
import { isDeepStrictEqual } from 'node:util'
import { programsOf } from '#exam/effects'
import {
  type ApiObject,
  type ContainerView,
  containersOf,
  type FaultContext,
  isNotFound,
  isReady,
  labelsOf,
  ownersOf,
  toFamiliarImage,
} from '#spec'
import { podsOf } from '../pods/pods-of.ts'
import { mainContainer, splitImage } from '../workloads/containers.ts'

type Context = Pick<FaultContext, 'api' | 'system'>

const PLURALS: Readonly<Record<string, string>> = {
  ReplicaSet: 'replicasets',
  Deployment: 'deployments',
  StatefulSet: 'statefulsets',
}

/** The live object that the owner reference names, if its UID matches. */
const controllerOf = async ({ api, system }: Context, object: ApiObject): Promise<ApiObject | undefined> => {
  const reference = ownersOf(object).find(({ controller }) => controller === true)
  const plural = PLURALS[reference?.kind ?? '']
  if (reference === undefined || plural === undefined) return undefined
  const { namespace } = system
  const owner = await api
    .get({ apiVersion: 'apps/v1', plural, namespace, name: reference.name })
    .catch((error) => {
      if (isNotFound(error)) return undefined
      throw error
    })
  return owner?.metadata.uid === reference.uid ? owner : undefined
}

const mountPathsOf = ({ volumeMounts = [] }: ContainerView): string[] =>
  volumeMounts.map(({ mountPath }) => mountPath).sort()

/** Whether the main container of the template runs the deployed program. The release and variables may differ. */
const runsDeployedProgram = ({ system }: Context, store: string, template: ApiObject): boolean => {
  const deployed = mainContainer(system, store)
  const main = containersOf(template).find(({ name }) => name === deployed.name)
  const identify = (container: ContainerView): unknown => [
    splitImage(toFamiliarImage(container.image ?? '')).repository,
    container.command ?? [],
    container.args ?? [],
    // A file that is mounted over the program replaces it.
    mountPathsOf(container),
  ]
  return main !== undefined && isDeepStrictEqual(identify(main), identify(deployed))
}

/**
 * Whether the chain of owners leads to the workload of the store, the pod runs the programs of its template, and its main program is
 * the deployed one.
 */
const isCreatedByWorkload = async (context: Context, store: string, pod: ApiObject): Promise<boolean> => {
  const { kind, name } = context.system.workloadOf(store)
  const owner = await controllerOf(context, pod)
  if (owner === undefined || programsOf(owner) !== programsOf(pod)) return false
  const workload = kind === 'Deployment' ? await controllerOf(context, owner) : owner
  return (
    workload?.kind === kind && workload.metadata.name === name && runsDeployedProgram(context, store, owner)
  )
}

/** The pod with the role `leader`, which accepts writes, or else a ready one. Rejects if there is no pod. */
export const findStorePod = async (context: Context, store: string): Promise<ApiObject> => {
  const pods: ApiObject[] = []
  for (const pod of await podsOf(context, store))
    if (await isCreatedByWorkload(context, store, pod)) pods.push(pod)
  const found = pods.find((pod) => labelsOf(pod).role === 'leader') ?? pods.find(isReady) ?? pods[0]
  if (found === undefined) throw new Error(`${store} has no pod that its workload created`)
  return found
}
