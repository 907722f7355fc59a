/** `remedium cluster ls`: lists the clusters of this machine. */

import { toTable } from '#lab/text'
import type { ClusterStatus } from '../../clusters/run-cluster.ts'
import { defineCommand } from '../../define-command.ts'

const TIMEOUT_MS = 2000
const COLUMNS = ['NAME', 'ID', 'SYSTEM', 'STATE', 'AGE', 'PODS', 'SERVER']

const toAge = (milliseconds: number): string => {
  const minutes = Math.floor(milliseconds / 60_000)
  if (minutes < 1) return `${Math.floor(milliseconds / 1000)}s`
  if (minutes < 60) return `${minutes}m`
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)}h` : `${Math.floor(minutes / 1440)}d`
}

export const ls = defineCommand({
  summary: 'List the clusters of this machine',
  async run({ answer }) {
    const { createRealClock } = await import('#kit')
    const { listClusterFolders, stateFolder } = await import('#platform/engines/folders')
    const { sendControlRequest, hasControlSocket } = await import('../../clusters/control-socket.ts')
    const now = createRealClock().now()
    const clusters = await Promise.all(
      listClusterFolders(stateFolder()).map(async ({ folder, record, alive }) => {
        const fallback = { state: alive ? 'in use' : 'leftover' }
        const status =
          alive && hasControlSocket(folder)
            ? await (
                sendControlRequest(folder, { command: 'status' }, TIMEOUT_MS) as Promise<ClusterStatus>
              ).catch(() => fallback)
            : fallback
        const { name, id, system, owner, created } = record
        return {
          name,
          id,
          system,
          created: new Date(created).toISOString(),
          pid: owner.pid,
          ageMs: now - created,
          ...status,
        }
      }),
    )
    const rows = clusters.map((cluster) => {
      const { pods, server } = cluster as Partial<ClusterStatus>
      const { name, id, system = '-', state, ageMs } = cluster
      return [name, id, system, state, toAge(ageMs), String(pods ?? '-'), server ?? '-']
    })
    answer({ clusters }, rows.length === 0 ? 'There are no clusters.' : toTable(COLUMNS, rows))
    return 0
  },
})
