/** Finds a cluster of this machine by its name or ID. */
import { type ClusterFolder, listClusterFolders, stateFolder } from '#platform/engines/folders'
import { RemediumError } from '#spec'
import { hasControlSocket } from './control-socket.ts'

/** Also finds a cluster whose process has ended. Throws if there is no such cluster, or if it accepts no requests. */
export const findCluster = (name: string): ClusterFolder => {
  const all = listClusterFolders(stateFolder())
  const running = all.filter(({ alive }) => alive)
  const found = [...running, ...all].find(({ record }) => record.name === name || record.id === name)
  if (found === undefined) {
    throw new RemediumError('bad-argument', `There is no cluster "${name}".`, {
      hint:
        running.length === 0
          ? 'No cluster is running.'
          : `The running clusters are: ${running.map(({ record }) => record.name).join(', ')}.`,
    })
  }
  if (found.alive && !hasControlSocket(found.folder)) {
    throw new RemediumError(
      'bad-argument',
      `The cluster "${name}" belongs to process ${found.record.owner.pid} and accepts no commands.`,
    )
  }
  return found
}
