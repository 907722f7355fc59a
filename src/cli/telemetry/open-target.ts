/** Telemetry by what a user names: a cluster that runs, or a file that one has left. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { telemetryFileOf } from '../../engines/local/machine/index.ts'
import { RemediumError } from '../../spec/index.ts'
import { type OpenTelemetry, openTelemetry } from '../../telemetry/index.ts'
import { askCluster } from '../clusters/control-socket.ts'
import { findCluster } from '../clusters/find-clusters.ts'
import type { ClusterStatus } from '../clusters/run-local-cluster.ts'

const PATIENCE_MS = 5000

/** Its owner knows whether it is elsewhere. */
const fileOfCluster = async (name: string): Promise<string> => {
  const { folder, record, alive } = findCluster(name)
  if (record.system === undefined)
    throw new RemediumError(
      'bad-argument',
      `There is no system on the cluster "${name}", so nothing is known of one.`,
      {
        hint: 'Start one with "remedium cluster up --system SYSTEM".',
      },
    )
  const status = alive
    ? ((await askCluster(folder, { command: 'status' }, PATIENCE_MS)) as ClusterStatus)
    : undefined
  return status?.telemetry ?? telemetryFileOf(folder)
}

export const openTarget = async (target: string): Promise<OpenTelemetry> => {
  const isFile = target.includes('/') || existsSync(target)
  return openTelemetry(isFile ? resolve(target) : await fileOfCluster(target))
}
