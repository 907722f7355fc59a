/**
 * Lists the processes in a simulated pod, as the kernel of its node would: with those of stress, which run in the control group of
 * their container and do not descend from its main process.
 */
import { posix } from 'node:path'
import type { Clock } from '#kit'
import type { PodProcess } from '#spec'
import type { InspectedContainer, InspectedPods } from './inspected-pods.ts'

/** The kernel cuts names after this number of characters. */
export const MAX_NAME_LENGTH = 15

const listContainer = ({ id, name, resources, processes }: InspectedContainer, now: number): PodProcess[] => {
  const toCommon = (program: string, startedAt: number) => ({
    container: id,
    containerName: name,
    name: posix.basename(program).slice(0, MAX_NAME_LENGTH),
    ageMs: Math.round(now - startedAt),
  })
  return [
    ...processes().map(({ id: processId, command: [program = ''], startedAt, isFromExec, isStray }) => ({
      ...toCommon(program, startedAt),
      id: processId,
      isFromExec,
      isStray,
      isFromEngine: false,
    })),
    ...resources.stress.processes().map((process) => ({
      ...toCommon(process.name, process.startedAt),
      id: 0,
      isFromExec: true,
      isStray: true,
      isFromEngine: true,
    })),
  ]
}

/** Undefined if the pod is not running. */
export const listProcesses = (
  pods: InspectedPods,
  clock: Clock,
  uid: string,
): readonly PodProcess[] | undefined =>
  pods
    .find(uid)
    ?.containers()
    .flatMap((container) => listContainer(container, clock.now()))

/** The names of the programs in a pod; undefined if the pod is not running. */
export const listPrograms = (pods: InspectedPods, clock: Clock, uid: string): readonly string[] | undefined =>
  listProcesses(pods, clock, uid)?.map(({ name }) => name)
